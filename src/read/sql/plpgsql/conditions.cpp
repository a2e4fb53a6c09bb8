#include "read/sql/plpgsql/conditions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace txscope::sql {
namespace {

/// Names of conditions that applications raise (PostgreSQL's appendix A).
constexpr std::array<std::pair<std::string_view, std::string_view>, 98>
    kConditions = {{
        {"raise_exception", "P0001"},
        {"no_data_found", "P0002"},
        {"too_many_rows", "P0003"},
        {"assert_failure", "P0004"},
        {"plpgsql_error", "P0000"},
        {"integrity_constraint_violation", "23000"},
        {"restrict_violation", "23001"},
        {"not_null_violation", "23502"},
        {"foreign_key_violation", "23503"},
        {"unique_violation", "23505"},
        {"check_violation", "23514"},
        {"exclusion_violation", "23P01"},
        {"data_exception", "22000"},
        {"string_data_right_truncation", "22001"},
        {"numeric_value_out_of_range", "22003"},
        {"null_value_not_allowed", "22004"},
        {"invalid_datetime_format", "22007"},
        {"datetime_field_overflow", "22008"},
        {"division_by_zero", "22012"},
        {"invalid_parameter_value", "22023"},
        {"invalid_text_representation", "22P02"},
        {"cardinality_violation", "21000"},
        {"case_not_found", "20000"},
        {"transaction_rollback", "40000"},
        {"serialization_failure", "40001"},
        {"transaction_integrity_constraint_violation", "40002"},
        {"statement_completion_unknown", "40003"},
        {"deadlock_detected", "40P01"},
        {"lock_not_available", "55P03"},
        {"object_in_use", "55006"},
        {"object_not_in_prerequisite_state", "55000"},
        {"query_canceled", "57014"},
        {"feature_not_supported", "0A000"},
        {"invalid_transaction_state", "25000"},
        {"invalid_cursor_state", "24000"},
        {"insufficient_privilege", "42501"},
        {"syntax_error", "42601"},
        {"undefined_column", "42703"},
        {"undefined_table", "42P01"},
        {"undefined_function", "42883"},
        {"undefined_object", "42704"},
        {"duplicate_object", "42710"},
        {"duplicate_column", "42701"},
        {"ambiguous_column", "42702"},
        {"insufficient_resources", "53000"},
        {"program_limit_exceeded", "54000"},
        {"internal_error", "XX000"},
        {"external_routine_exception", "38000"},
        {"connection_exception", "08000"},
        {"triggered_data_change_violation", "27000"},
        {"invalid_authorization_specification", "28000"},
        {"invalid_password", "28P01"},
        {"invalid_transaction_termination", "2D000"},
        {"sql_routine_exception", "2F000"},
        {"function_executed_no_return_statement", "2F005"},
        {"savepoint_exception", "3B000"},
        {"invalid_schema_name", "3F000"},
        {"with_check_option_violation", "44000"},
        {"array_subscript_error", "2202E"},
        {"floating_point_exception", "22P01"},
        {"substring_error", "22011"},
        {"interval_field_overflow", "22015"},
        {"invalid_argument_for_logarithm", "2201E"},
        {"invalid_argument_for_power_function", "2201F"},
        {"invalid_regular_expression", "2201B"},
        {"invalid_escape_sequence", "22025"},
        {"string_data_length_mismatch", "22026"},
        {"datatype_mismatch", "42804"},
        {"wrong_object_type", "42809"},
        {"ambiguous_function", "42725"},
        {"duplicate_function", "42723"},
        {"duplicate_table", "42P07"},
        {"duplicate_schema", "42P06"},
        {"duplicate_alias", "42712"},
        {"grouping_error", "42803"},
        {"invalid_column_reference", "42P10"},
        {"invalid_foreign_key", "42830"},
        {"undefined_parameter", "42P02"},
        {"syntax_error_or_access_rule_violation", "42000"},
        {"out_of_memory", "53200"},
        {"disk_full", "53100"},
        {"too_many_connections", "53300"},
        {"statement_too_complex", "54001"},
        {"operator_intervention", "57000"},
        {"admin_shutdown", "57P01"},
        {"system_error", "58000"},
        {"io_error", "58030"},
        {"undefined_file", "58P01"},
        {"read_only_sql_transaction", "25006"},
        {"no_active_sql_transaction", "25P01"},
        {"in_failed_sql_transaction", "25P02"},
        {"active_sql_transaction", "25001"},
        {"invalid_cursor_name", "34000"},
        {"duplicate_cursor", "42P03"},
        {"invalid_sql_statement_name", "26000"},
        {"invalid_catalog_name", "3D000"},
        {"trigger_protocol_violated", "39P01"},
        {"dependent_objects_still_exist", "2BP01"},
    }};

}  // namespace

bool is_sqlstate(std::string_view code) {
  return code.size() == 5 && std::all_of(code.begin(), code.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

std::string_view sqlstate_of(std::string_view condition) {
  for (const auto& [name, code] : kConditions) {
    if (name == condition) return code;
  }
  return {};
}

}  // namespace txscope::sql
