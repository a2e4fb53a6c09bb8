#include "support/random_program.h"

#include <algorithm>

namespace txscope::testing {
namespace {

using Statements = std::vector<RandomStatement>;

void write(const Statements& statements, std::size_t depth, std::string& out) {
  const std::string indent(2 * depth, ' ');
  for (const RandomStatement& s : statements) {
    out += indent + s.text;
    if (s.has_block) {
      out += " {\n";
      write(s.body, depth + 1, out);
      out += indent + "}";
      if (!s.otherwise.empty()) {
        out += " else {\n";
        write(s.otherwise, depth + 1, out);
        out += indent + "}";
      }
    }
    out += "\n";
  }
}

class Generator {
 public:
  Generator(Random& random, const RandomProgramOptions& options)
      : random_(random), options_(options), reads_left_(options.reads) {}

  RandomProgram run() {
    RandomProgram p;
    p.declarations = {"var x", "var y = 1"};
    if (random_.chance(0.5)) {
      has_array_ = true;
      p.declarations.push_back("var a[2] = {0, 2}");
    }
    const std::size_t sessions =
        1 + random_.below(std::max<std::size_t>(options_.sessions, 1));
    std::size_t left = options_.txns;
    for (std::size_t s = 0; s < sessions; ++s) {
      p.sessions.emplace_back();
      const std::size_t n = 1 + random_.below(3);
      for (std::size_t t = 0; t < n && left > 0; ++t, --left) {
        locals_.clear();
        p.sessions.back().push_back(block(1 + random_.below(4), 0));
      }
    }
    if (random_.chance(0.5)) p.properties.push_back(invariant());
    return p;
  }

 private:
  Statements block(std::size_t size, int depth) {
    Statements out;
    for (std::size_t i = 0; i < size; ++i) statement(out, depth);
    return out;
  }

  void statement(Statements& out, int depth) {
    const double dice = random_.real();
    if (dice < 0.4) {
      if (reads_left_ > 0) {
        --reads_left_;
        const std::string name = "r" + std::to_string(++names_);
        out.push_back({name + " = read " + place()});
        if (depth == 0) locals_.push_back(name);
      }
    } else if (dice < 0.75 || depth >= 2) {
      out.push_back({"write " + place() + " = " + value()});
    } else if (dice < 0.88) {
      RandomStatement branch{"if " + condition(), true, {}, {}};
      branch.body = block(1 + random_.below(2), depth + 1);
      if (random_.chance(0.4)) {
        branch.otherwise = block(1 + random_.below(2), depth + 1);
      }
      out.push_back(std::move(branch));
    } else if (dice < 0.92 && has_array_ && reads_left_ >= 2) {
      reads_left_ -= 2;
      const std::string i = "i" + std::to_string(++names_);
      RandomStatement loop{"for " + i + " in 0..2", true, {}, {}};
      loop.body.push_back({"v" + i + " = read a[" + i + "]"});
      if (random_.chance(0.4)) {
        loop.body.push_back({"write a[" + i + "] = v" + i + " + 1"});
      }
      out.push_back(std::move(loop));
    } else if (options_.has_aborts) {
      rare(out);
    }
  }

  void rare(Statements& out) {
    const double dice = random_.real();
    if (options_.has_faults && dice < 0.5) {
      out.push_back({"write " + place() + " = 6 / (" + value() + ")"});
    } else if (dice < 0.6) {
      RandomStatement guard{"if " + condition(), true, {}, {}};
      guard.body.push_back({"abort"});
      out.push_back(std::move(guard));
    } else if (dice < 0.8) {
      out.push_back({"assume " + condition()});
    } else {
      out.push_back({"assert \"p\" " + condition()});
    }
  }

  std::string place() {
    const std::uint64_t n = random_.below(has_array_ ? 4 : 2);
    if (n == 0) return "x";
    if (n == 1) return "y";
    if (random_.chance(0.3) && !locals_.empty()) {
      return "a[" + local() + " & 1]";
    }
    return "a[" + std::to_string(n - 2) + "]";
  }
  std::string local() { return locals_[random_.below(locals_.size())]; }
  std::string value() {
    const std::string n = std::to_string(random_.below(4));
    if (locals_.empty() || random_.chance(0.4)) return n;
    return local() + (random_.chance(0.5) ? " + " : " - ") + n;
  }
  std::string condition() {
    static const char* const kRelations[] = {" == ", " != ", " < ", " > "};
    return (locals_.empty() ? "1" : local()) + kRelations[random_.below(4)] +
           std::to_string(random_.below(3));
  }
  std::string invariant() {
    const std::string other = has_array_ ? "a[1]" : "2";
    switch (random_.below(3)) {
      case 0: return "invariant \"i\" x <= y";
      case 1: return "invariant \"i\" x + y != " + other;
      default: return "invariant \"i\" x != 2 || y == 1";
    }
  }

  Random& random_;
  const RandomProgramOptions& options_;
  std::size_t reads_left_;
  std::size_t names_ = 0;
  bool has_array_ = false;
  std::vector<std::string> locals_;  // assigned on every path so far
};

/// All programs with one statement less below `statements`.
bool cut_statement(Statements& statements, RandomProgram& program,
                   const std::function<bool(const RandomProgram&)>& fails) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const RandomStatement saved = statements[i];
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    if (fails(program)) return true;
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(i),
                      saved);
    if (cut_statement(statements[i].body, program, fails)) return true;
    if (cut_statement(statements[i].otherwise, program, fails)) return true;
  }
  return false;
}

bool cut_once(RandomProgram& program,
              const std::function<bool(const RandomProgram&)>& fails) {
  const auto cut_from = [&](auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto saved = list[i];
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      if (fails(program)) return true;
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), saved);
    }
    return false;
  };
  if (cut_from(program.sessions)) return true;
  for (auto& session : program.sessions) {
    if (cut_from(session)) return true;
  }
  if (cut_from(program.properties)) return true;
  for (auto& session : program.sessions) {
    for (auto& txn : session) {
      if (cut_statement(txn, program, fails)) return true;
    }
  }
  return false;
}

}  // namespace

std::string RandomProgram::text() const {
  std::string out;
  for (const std::string& line : declarations) out += line + "\n";
  for (const auto& session : sessions) {
    out += "session {\n";
    for (const auto& txn : session) {
      out += "  txn {\n";
      write(txn, 2, out);
      out += "  }\n";
    }
    out += "}\n";
  }
  for (const std::string& line : properties) out += line + "\n";
  return out;
}

RandomProgram random_program(Random& random,
                             const RandomProgramOptions& options) {
  return Generator(random, options).run();
}

RandomProgram shrink(RandomProgram program,
                     const std::function<bool(const RandomProgram&)>& fails) {
  while (cut_once(program, fails)) {
  }
  return program;
}

}  // namespace txscope::testing
