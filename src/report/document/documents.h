#pragma once

#include "audit/audit.h"
#include "model/sql/log.h"
#include "report/analyze_report.h"
#include "report/answer_report.h"
#include "report/check_report.h"
#include "report/document/document.h"
#include "report/model_report.h"
#include "report/race/race_report.h"
#include "report/robust_report.h"
#include "report/verify_report.h"

// What each verb puts into a document: tables, findings, what was looked at.
// The verdict, the questions and what was checked come from the report.
namespace txscope::report::document {

void add_answers(const AnswerReport& report, Document& out);
void add_verified(const VerifyReport& report, Document& out);
void add_analysis(const analyze::Analysis& found,
                  const analyze::Comparison* compared, Document& out);
void add_robust(const robust::RobustReport& report, Document& out);
void add_audit(const audit::AuditReport& report, const sql::LogHeader& header,
               const std::string& input, Document& out);
void add_model(const ModelReport& report, Document& out);
void add_race(const RaceReport& report, Document& out);
/// One history; `out` may have others already.
void add_history(const CheckReport& report, Document& out);

}  // namespace txscope::report::document
