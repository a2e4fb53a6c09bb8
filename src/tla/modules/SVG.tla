-------------------------------- MODULE SVG ---------------------------------
\* Elements of a drawing are records; drawing itself is not supported.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL INSTANCE TxscopeNative

SVGElem(_name, _attrs, _children, _innerText) ==
  [name |-> _name, attrs |-> _attrs, children |-> _children,
   innerText |-> _innerText]
Line(x1, y1, x2, y2, attrs) ==
  SVGElem("line", attrs @@ [x1 |-> ToString(x1), y1 |-> ToString(y1),
                            x2 |-> ToString(x2), y2 |-> ToString(y2)],
          <<>>, "")
Circle(cx, cy, r, attrs) ==
  SVGElem("circle", attrs @@ [cx |-> ToString(cx), cy |-> ToString(cy),
                              r |-> ToString(r)], <<>>, "")
Rect(x, y, w, h, attrs) ==
  SVGElem("rect", attrs @@ [x |-> ToString(x), y |-> ToString(y),
                            width |-> ToString(w), height |-> ToString(h)],
          <<>>, "")
Text(x, y, text, attrs) ==
  SVGElem("text", attrs @@ [x |-> ToString(x), y |-> ToString(y)], <<>>, text)
Image(x, y, width, height, href, attrs) ==
  SVGElem("svg", [x |-> ToString(x), y |-> ToString(y)] @@ attrs, <<>>, href)
Group(children, attrs) == SVGElem("g", attrs, children, "")
Svg(children, attrs) == SVGElem("svg", attrs, children, "")
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) == Svg(children, attrs)
SVGElemToString(elem) == ToString(elem)
SVGSerialize(svg, frameNamePrefix, frameNumber) ==
  TxscopeRefuse("SVGSerialize writes files, which is not supported")
NodeOfRingNetwork(cx, cy, r, n, m) ==
  TxscopeRefuse("NodeOfRingNetwork needs real numbers, which is not supported")
NodesOfDirectedMultiGraph(nodes, edges, options) ==
  TxscopeRefuse("drawing graphs is not supported")
PointOnLine(from, to, segment) ==
  TxscopeRefuse("PointOnLine needs real numbers, which is not supported")
=============================================================================
