#pragma once

namespace txscope::cli {

struct Options;

// Each verb is one file; each returns the exit status.
int run_analyze(const Options& options);
int run_audit(const Options& options);
int run_check(const Options& options);
int run_convert(const Options& options);
int run_generate(const Options& options);
int run_model(const Options& options);
int run_explain(const Options& options);
int run_explore(const Options& options);
int run_race(const Options& options);
int run_replay(const Options& options);
int run_record(const Options& options);
int run_verify(const Options& options);
int run_robust(const Options& options);

}  // namespace txscope::cli
