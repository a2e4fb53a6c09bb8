#include "tla/code/builtins.h"

#include <algorithm>
#include <array>

namespace txscope::tla {
namespace {

constexpr std::string_view kNat = "Naturals";
constexpr std::string_view kInt = "Integers";
constexpr std::string_view kSeq = "Sequences";
constexpr std::string_view kFin = "FiniteSets";
constexpr std::string_view kTlc = "TLC";
constexpr std::string_view kOwn = "TxscopeNative";

// Op::Const marks values; the compiler knows which.
constexpr std::array kBuiltins = std::to_array<Builtin>({
    {"", "TRUE", 0, Op::Const},
    {"", "FALSE", 0, Op::Const},
    {"", "BOOLEAN", 0, Op::Const},
    {"", "STRING", 0, Op::Const},
    {"", "~", 1, Op::Not},
    {"", "=>", 2, Op::Implies},
    {"", "<=>", 2, Op::Equiv},
    {"", "/\\", 2, Op::And},
    {"", "\\/", 2, Op::Or},
    {"", "=", 2, Op::Equal},
    {"", "/=", 2, Op::NotEqual},
    {"", "\\in", 2, Op::In},
    {"", "\\notin", 2, Op::NotIn},
    {"", "\\subseteq", 2, Op::Subseteq},
    {"", "\\cup", 2, Op::Cup},
    {"", "\\cap", 2, Op::Cap},
    {"", "\\", 2, Op::Minus},
    {"", "SUBSET", 1, Op::Powerset},
    {"", "UNION", 1, Op::BigUnion},
    {"", "DOMAIN", 1, Op::Domain},
    {"", "UNCHANGED", 1, Op::Unchanged},
    {"", "[]", 1, Op::Always},
    {"", "<>", 1, Op::Eventually},
    {"", "~>", 2, Op::LeadsTo},
    {kNat, "Nat", 0, Op::Const},
    {kNat, "+", 2, Op::Add},
    {kNat, "-", 2, Op::Subtract},
    {kNat, "*", 2, Op::Multiply},
    {kNat, "^", 2, Op::Power},
    {kNat, "\\div", 2, Op::Divide},
    {kNat, "%", 2, Op::Modulo},
    {kNat, "<", 2, Op::Less},
    {kNat, "<=", 2, Op::LessEqual},
    {kNat, ">", 2, Op::Greater},
    {kNat, ">=", 2, Op::GreaterEqual},
    {kNat, "..", 2, Op::Interval},
    {kInt, "Int", 0, Op::Const},
    {kInt, "-.", 1, Op::Negate},
    {kSeq, "Seq", 1, Op::SeqSet},
    {kSeq, "Len", 1, Op::Len},
    {kSeq, "\\o", 2, Op::Concat},
    {kSeq, "Append", 2, Op::Append},
    {kSeq, "Head", 1, Op::Head},
    {kSeq, "Tail", 1, Op::Tail},
    {kSeq, "SubSeq", 3, Op::SubSeq},
    {kSeq, "SelectSeq", 2, Op::SelectSeq},
    {kFin, "Cardinality", 1, Op::Cardinality},
    {kFin, "IsFiniteSet", 1, Op::IsFiniteSet},
    {kTlc, "Print", 2, Op::Print},
    {kTlc, "PrintT", 1, Op::PrintT},
    {kTlc, "Assert", 2, Op::Assert},
    {kTlc, ":>", 2, Op::Pair},
    {kTlc, "@@", 2, Op::Merge},
    {kTlc, "Permutations", 1, Op::Permutations},
    {kTlc, "SortSeq", 2, Op::SortSeq},
    {kTlc, "ToString", 1, Op::ToString},
    {kTlc, "TLCEval", 1, Op::TlcEval},
    {kTlc, "TLCGet", 1, Op::TlcGet},
    {kTlc, "TLCSet", 2, Op::TlcSet},
    {kTlc, "RandomElement", 1, Op::RandomElement},
    {kTlc, "JavaTime", 0, Op::JavaTime},
    {kTlc, "Any", 0, Op::Const},
    {kOwn, "TxscopeFoldLeft", 3, Op::Library, Library::FoldLeft},
    {kOwn, "TxscopeFoldRight", 3, Op::Library, Library::FoldRight},
    {kOwn, "TxscopeFoldInto", 3, Op::Library, Library::FoldInto},
    {kOwn, "TxscopeSetToSeq", 1, Op::Library, Library::SetToSeq},
    {kOwn, "TxscopeSubsets", 2, Op::Library, Library::SubsetsOfSize},
    {kOwn, "TxscopeAssertError", 2, Op::Library, Library::AssertError},
    {kOwn, "TxscopeGetOr", 2, Op::Library, Library::GetOr},
    {kOwn, "TxscopeModelValue", 1, Op::Library, Library::ModelValue},
    {kOwn, "TxscopeTrace", 0, Op::Library, Library::Trace},
    {kOwn, "TxscopeRandomSubset", 2, Op::Library, Library::RandomSubset},
    {kOwn, "TxscopeRandomSubsets", 3, Op::Library, Library::RandomSubsets},
    {kOwn, "TxscopeToJson", 1, Op::Library, Library::ToJson},
    {kOwn, "TxscopeReadJson", 2, Op::Library, Library::ReadJson},
    {kOwn, "TxscopeRefuse", 1, Op::Library, Library::Refuse},
    {kOwn, "TxscopeEnvironment", 0, Op::Library, Library::Environment},
    {kOwn, "TxscopeAtoi", 1, Op::Library, Library::Atoi},
    {kOwn, "TxscopeZeroPad", 2, Op::Library, Library::ZeroPad},
    {kOwn, "TxscopeIsPrefix", 2, Op::Library, Library::IsPrefix},
    {kOwn, "TxscopeIsBag", 1, Op::Library, Library::IsBag},
});

constexpr std::array<std::string_view, 1> kJustNat = {kNat};
constexpr std::array<std::string_view, 2> kNatInt = {kNat, kInt};
constexpr std::array<std::string_view, 1> kJustSeq = {kSeq};
constexpr std::array<std::string_view, 1> kJustFin = {kFin};
constexpr std::array<std::string_view, 1> kJustTlc = {kTlc};
constexpr std::array<std::string_view, 1> kJustOwn = {kOwn};

}  // namespace

std::uint32_t Builtin::arity_of_argument(std::size_t i) const {
  if (op == Op::SelectSeq && i == 1) return 1;
  if (op == Op::SortSeq && i == 1) return 2;
  const bool is_fold = op == Op::Library && (function == Library::FoldLeft ||
                                             function == Library::FoldRight ||
                                             function == Library::FoldInto);
  return is_fold && i == 0 ? 2 : 0;
}

std::span<const Builtin> all_builtins() { return kBuiltins; }

std::span<const std::string_view> standard_closure(std::string_view name) {
  if (name == kNat) return kJustNat;
  if (name == kInt || name == "Reals") return kNatInt;
  if (name == kSeq) return kJustSeq;
  if (name == kFin) return kJustFin;
  if (name == kTlc) return kJustTlc;
  if (name == kOwn) return kJustOwn;
  return {};
}

bool is_standard_module(std::string_view name) {
  // Modules of nothing but theorems, for provers.
  constexpr std::array kTheorems = std::to_array<std::string_view>(
      {"TLAPS", "NaturalsInduction", "WellFoundedInduction",
       "FiniteSetTheorems", "SequenceTheorems", "FunctionTheorems",
       "SequencesExtTheorems", "FiniteSetsExtTheorems", "BagsTheorems",
       "FoldsTheorems", "GraphTheorems", "QuorumTheorems", "SequencesTheorems",
       "NaturalsInduction_proofs", "Toolbox"});
  return std::find(kTheorems.begin(), kTheorems.end(), name) !=
             kTheorems.end() ||
         !standard_closure(name).empty();
}

std::string_view module_with(std::string_view name) {
  for (const Builtin& builtin : kBuiltins)
    if (builtin.name == name && builtin.module != kOwn) return builtin.module;
  return {};
}

}  // namespace txscope::tla
