#include "tla/value/value.h"

namespace txscope::tla {
namespace {

void write(std::string& out, Value v);

void write_list(std::string& out, std::span<const Value> items) {
  bool first = true;
  for (const Value v : items) {
    if (!first) out += ", ";
    first = false;
    write(out, v);
  }
}

bool is_field_name(std::string_view text) {
  if (text.empty()) return false;
  bool has_letter = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    has_letter = has_letter || letter;
    if (!letter && c != '_' && (c < '0' || c > '9')) return false;
  }
  return has_letter;
}

bool is_record(const Node& f) {
  for (const Value key : f.domain.as_node()->all())
    if (key.tag() != Tag::String || !is_field_name(key.as_name()->text))
      return false;
  return true;
}

void write_function(std::string& out, const Node& f) {
  const bool record = is_record(f);
  out += record ? "[" : "(";
  for (std::uint32_t i = 0; i < f.size; ++i) {
    if (i > 0) out += record ? ", " : " @@ ";
    const Value key = f.domain.as_node()->items[i];
    if (record)
      out += key.as_name()->text;
    else
      write(out, key);
    out += record ? " |-> " : " :> ";
    write(out, f.items[i]);
  }
  out += record ? "]" : ")";
}

void write_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  out += '"';
}

void write_infix(std::string& out, const Node& node, std::string_view op) {
  out += '(';
  for (std::uint32_t i = 0; i < node.size; ++i) {
    if (i > 0) out += op;
    write(out, node.items[i]);
  }
  out += ')';
}

void write_node(std::string& out, const Node& node) {
  switch (node.kind) {
    case NodeKind::Set:
      out += '{';
      write_list(out, node.all());
      out += '}';
      return;
    case NodeKind::Sequence:
      out += "<<";
      write_list(out, node.all());
      out += ">>";
      return;
    case NodeKind::Function: return write_function(out, node);
    case NodeKind::Interval:
      write(out, node.items[0]);
      out += "..";
      return write(out, node.items[1]);
    case NodeKind::Subset: out += "SUBSET "; return write(out, node.items[0]);
    case NodeKind::FunctionSet:
      out += '[';
      write(out, node.items[0]);
      out += " -> ";
      write(out, node.items[1]);
      out += ']';
      return;
    case NodeKind::RecordSet:
      out += '[';
      for (std::uint32_t i = 0; i < node.size; ++i) {
        if (i > 0) out += ", ";
        out += node.domain.as_node()->items[i].as_name()->text;
        out += ": ";
        write(out, node.items[i]);
      }
      out += ']';
      return;
    case NodeKind::SequenceSet:
      out += "Seq(";
      write(out, node.items[0]);
      out += ')';
      return;
    case NodeKind::Product: return write_infix(out, node, " \\X ");
    case NodeKind::Union: return write_infix(out, node, " \\union ");
    case NodeKind::Intersection: return write_infix(out, node, " \\intersect ");
    case NodeKind::Difference: return write_infix(out, node, " \\ ");
    case NodeKind::BigUnion: out += "UNION "; return write(out, node.items[0]);
    case NodeKind::Naturals: out += "Nat"; return;
    case NodeKind::Integers: out += "Int"; return;
    case NodeKind::Strings: out += "STRING"; return;
  }
}

void write(std::string& out, Value v) {
  switch (v.tag()) {
    case Tag::Node: return write_node(out, *v.as_node());
    case Tag::Int: out += std::to_string(v.as_int()); return;
    case Tag::Bool: out += v.as_bool() ? "TRUE" : "FALSE"; return;
    case Tag::String: return write_string(out, v.as_name()->text);
    case Tag::Model: out += v.as_name()->text; return;
    case Tag::Thunk:
    case Tag::Closure: out += "<operator>"; return;
    case Tag::None: out += "<no value>"; return;
  }
}

}  // namespace

std::string to_string(Value v) {
  std::string out;
  write(out, v);
  return out;
}

}  // namespace txscope::tla
