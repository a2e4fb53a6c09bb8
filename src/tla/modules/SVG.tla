-------------------------------- MODULE SVG ---------------------------------
\* Elements of a drawing are records; drawing itself is not supported.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL INSTANCE TxscopeNative

SVGElem(_name, _attrs, _children, _innerText) ==
  [name |-> _name, attrs |-> _attrs, children |-> _children,
   innerText |-> _innerText]
Line(x1, y1, x2, y2, attrs) ==
  SVGElem("line", [x1 |-> ToString(x1), y1 |-> ToString(y1),
                   x2 |-> ToString(x2), y2 |-> ToString(y2)] @@ attrs,
          <<>>, "")
Circle(cx, cy, r, attrs) ==
  SVGElem("circle", [cx |-> ToString(cx), cy |-> ToString(cy),
                     r |-> ToString(r)] @@ attrs, <<>>, "")
Rect(x, y, w, h, attrs) ==
  SVGElem("rect", [x |-> ToString(x), y |-> ToString(y),
                   width |-> ToString(w), height |-> ToString(h)] @@ attrs,
          <<>>, "")
Text(x, y, text, attrs) ==
  SVGElem("text", [x |-> ToString(x), y |-> ToString(y)] @@ attrs, <<>>, text)
Image(x, y, width, height, href, attrs) ==
  SVGElem("image", [x |-> ToString(x), y |-> ToString(y),
                    width |-> ToString(width), height |-> ToString(height)]
                   @@ ("xlink:href" :> href) @@ attrs, <<>>, "")
Group(children, attrs) == SVGElem("g", attrs, children, "")
Svg(children, attrs) == SVGElem("svg", attrs, children, "")
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
  Svg(<<children>>,
      [xmlns |-> "http://www.w3.org/2000/svg",
       viewBox |-> ToString(vbX) \o " " \o ToString(vbY) \o " " \o
                   ToString(vbW) \o " " \o ToString(vbH)]
      @@ ("xmlns:xlink" :> "http://www.w3.org/1999/xlink") @@ attrs)

RECURSIVE SVGElemToString(_)
SVGElemToString(elem) ==
  LET join(strings) == TxscopeFoldLeft(LAMBDA a, b : a \o b, "", strings)
      names == TxscopeSetToSeq(DOMAIN elem.attrs)
      \* A record's fields cannot have dashes in their names.
      dashed(name) ==
        join([i \in 1..Len(name) |->
               LET char == SubSeq(name, i, i)
               IN  IF char = "_" THEN "-" ELSE char])
  IN  "<" \o elem.name
      \o join([i \in DOMAIN names |->
                 " " \o dashed(names[i]) \o "='" \o elem.attrs[names[i]] \o "'"])
      \o ">" \o elem.innerText
      \o join([i \in 1..Len(elem.children) |->
                 SVGElemToString(elem.children[i])])
      \o "</" \o elem.name \o ">"
PointOnLine(from, to, segment) ==
  [x |-> from.x + ((to.x - from.x) \div segment),
   y |-> from.y + ((to.y - from.y) \div segment)]
SVGSerialize(svg, frameNamePrefix, frameNumber) ==
  TxscopeRefuse("SVGSerialize writes files, which is not supported")
NodeOfRingNetwork(cx, cy, r, n, m) ==
  TxscopeRefuse("NodeOfRingNetwork needs real numbers, which is not supported")
NodesOfDirectedMultiGraph(nodes, edges, options) ==
  TxscopeRefuse("drawing graphs is not supported")
=============================================================================
