------------------------------ MODULE Variants ------------------------------
\* Tagged values, as Apalache has them.
UNIT == "U_OF_UNIT"
Variant(tag, value) == [tag |-> tag, value |-> value]
VariantTag(variant) == variant.tag
VariantFilter(tag, S) == {v.value : v \in {u \in S : u.tag = tag}}
VariantGetUnsafe(tag, variant) ==
  (CHOOSE v \in {variant} : v.tag = tag).value
VariantGetOrElse(tag, variant, default) ==
  IF variant.tag = tag THEN variant.value ELSE default
=============================================================================
