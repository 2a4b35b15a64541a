// SPDX-License-Identifier: Apache-2.0
#include "simt/translate.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "simt/test_support.hpp"

namespace nlldiff::simt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The sentence of the usage error that translating `text` throws; "translated" where it throws none.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(translate("# 1 \"kernel.cu\"\n" + text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "translated";
}

TEST(Translate, ALaunchBecomesACallAndKeepsItsLine) {
  EXPECT_EQ(
      translate("void f() { k<<<1, 2>>>(a, b); }"),
      "void f() { ::nlldiff_simt::prepare(\"k\", [&](const auto&... nlldiff_a) { k(nlldiff_a...); }, 1, 2)(a, b); }");
  const std::string over_lines = translate("void f() {\n  k\n<<<\n1,\n2>>>\n(a);\n}\n");
  EXPECT_EQ(std::count(over_lines.begin(), over_lines.end(), '\n'), 7);
}

TEST(Translate, SharedVariablesBecomeReferencesOnTheSameLine) {
  EXPECT_EQ(translate("void k() { __shared__ float a[2][3], *b; }"),
            "void k() { struct nlldiff_shared_11 {  float a[2][3], *b; }; auto& nlldiff_block_11 = "
            "::nlldiff_simt::shared<nlldiff_shared_11>(); [[maybe_unused]] auto& a = nlldiff_block_11.a; "
            "[[maybe_unused]] auto& b = nlldiff_block_11.b; }");
}

TEST(Translate, SharedDeclaratorsOfEveryShapeGiveTheirNames) {
  for (const auto& [declaration, name] : std::vector<std::pair<std::string, std::string>>{
           {"__shared__ std::array<Pair<int, 3>, 4> x;", "x"},
           {"__shared__ float (*x)[4];", "x"},
           {"volatile __shared__ int x[1 << 3];", "x"},
           {"float __shared__ x;", "x"},
           {"__shared__ unsigned long long x __attribute__((aligned(16)));", "x"},
           {"__shared__ __attribute__((aligned(16))) char x[sizeof(float) * (2 + 1)];", "x"},
           {"__shared__ typename Foo<T>::template Bar<(1 > 0)> x[2];", "x"},
           {"__shared__ struct { int a, b; } x;", "x"},
           {"case 1: __shared__ int x;", "x"}})
    EXPECT_THAT(translate("void k() { " + declaration + " }"), HasSubstr("auto& " + name + " = nlldiff_block_"))
        << declaration;
}

TEST(Translate, DynamicSharedMemoryAtFileScopeIsFoundInNamespacesToo) {
  const std::string text =
      "namespace a::b { extern \"C\" { extern __shared__ float s[]; extern __shared__ float s[]; } }";
  EXPECT_EQ(translate(text),
            "namespace a::b { extern \"C\" { typedef   float nlldiff_dynamic_30[]; static thread_local "
            "nlldiff_dynamic_30& s = "
            "::nlldiff_simt::dynamic_shared<nlldiff_dynamic_30>(); ; } }");
  EXPECT_THAT(translate("struct A { void f() { extern __shared__ int s[]; } };"),
              AllOf(HasSubstr("nlldiff_dynamic"), Not(HasSubstr("thread_local"))));
}

TEST(Translate, TextOfLiteralsAndCommentsIsLeftAlone) {
  for (const std::string text :
       {"auto a = \"k<<<1, 1>>>(x);\";", "auto a = R\"x(k<<<1>>>(\") __shared__ )x\";", "// k<<<1, 1>>>(x);\nint i;",
        "/* __shared__ int x; */ int i;", "char c = '\"'; int d = 1'000; auto e = u8\"<<<\";",
        "int x = a << b, y = c >> d;", "std::ostream& operator<<<T>(std::ostream&, T);", "auto y = A<B<C<int>>>(3);",
        "#pragma unroll\nint x;"})
    EXPECT_EQ(translate(text), text);
}

TEST(Translate, TheKernelsNameEndsWhereItsExpressionDoes) {
  for (const auto& [statement, name] : std::vector<std::pair<std::string, std::string>>{
           {"return k<<<1, 1>>>(a);", "k"},
           {"else ::a::k<<<1, 1>>>(a);", "::a::k"},
           {"if (x > 1) k<<<1, 1>>>(a);", "k"},
           {"if (x) (k)<<<1, 1>>>(a);", "(k)"},
           {"x = 3; A<B<int>, (1 > 0)>::k<T><<<1, 1>>>(a);", "A<B<int>, (1 > 0)>::k<T>"},
           {"table[i](j)<<<1, 1>>>(a);", "table[i](j)"},
           {"this->table[2]<<<1, 1>>>(a);", "this->table[2]"},
           {"A<T>::template k<3><<<1, 1>>>(a);", "A<T>::template k<3>"},
           {"k<\"a\\n\"[0]><<<1, 1>>>(a);", "k<\\\"a\\\\n\\\"[0]>"}})
    EXPECT_THAT(translate("void f() { " + statement + " }"), HasSubstr("prepare(\"" + name + "\", ")) << statement;
}

TEST(Translate, ANestedTemplateIsNotTakenForTheEnd) {
  EXPECT_THAT(translate("void f() { k<<<G<A<B<int>>>(n), 2>>>(a); }"), HasSubstr("G<A<B<int>>>(n), 2)(a);"));
}

TEST(Translate, WhatCannotBeDoneIsAnErrorWithFileAndLine) {
  EXPECT_THAT(refusal("\nvoid k() { asm volatile(\"ret;\"); }"),
              StartsWith("kernel.cu:2: `asm`: inline PTX cannot run"));
  EXPECT_THAT(refusal("namespace cg = cooperative_groups;"), HasSubstr("kernel.cu:1: `cooperative_groups`"));
  EXPECT_THAT(refusal("x = tex2D(t, 1, 2);"), HasSubstr("a texture cannot run on the host"));
  EXPECT_THAT(refusal("void f() { <<<1, 1>>>(a); }"), HasSubstr("<<< without a kernel's name"));
  EXPECT_THAT(refusal("void f() { k<<<1, 1; }"), HasSubstr("without >>>"));
  EXPECT_THAT(refusal("void f() { k<<<1, 1>>>; }"), HasSubstr("without >>>"));
  EXPECT_THAT(refusal("void f() { k<<<1, 1>>>(a, {1, 2}); }"), HasSubstr("a braced list as a kernel's argument"));
  EXPECT_THAT(refusal("#define L k<<<1, 1>>>(a)\n"), HasSubstr("the text must be preprocessed first"));
  EXPECT_THAT(refusal("__shared__ int x;"), HasSubstr("outside of a function"));
  EXPECT_THAT(refusal("void k() { __shared__ int x = 3; }"), HasSubstr("with an initialiser"));
  EXPECT_THAT(refusal("void k() { __shared__ int x }"), HasSubstr("does not end"));
  EXPECT_THAT(refusal("void k() { extern __shared__ int x[], y[]; }"), HasSubstr("several names"));
  EXPECT_THAT(refusal("void k() { __shared__ ; }"), HasSubstr("without a name"));
  EXPECT_THAT(refusal("\n\nauto a = \"open\n"), StartsWith("kernel.cu:3: a literal that does not end"));
  EXPECT_THAT(refusal("/* open"), HasSubstr("a comment that does not end"));
  EXPECT_THAT(refusal("auto a = R\"x(open"), HasSubstr("a raw string that does not end"));
}

TEST(Translate, SystemHeadersMayUseAsm) {
  EXPECT_EQ(refusal("# 1 \"/usr/include/x.h\" 1 3\nint f() { asm(\"nop\"); }\n# 2 \"kernel.cu\" 2\nint x;"),
            "translated");
}

TEST(Translate, NoCutOfAProgramCrashesIt) {
  const std::string text =
      "namespace a { extern __shared__ T s[]; } template <class T> void k() { __shared__ A<B, 3> x[2], *y; "
      "if (c) a::k<T, (1 > 2)><<<dim3(1, 2), G<A<int>>::v, 0>>>(x, f(y), \"z\"); R\"(a)\"; u8'c'; 1'0; }";
  for (std::size_t begin = 0; begin < text.size(); ++begin)
    for (std::size_t length = 0; begin + length <= text.size(); length += 3) refusal(text.substr(begin, length));
}

// ---- compile_for_host ----
class Compile : public testing::Test {
 protected:
  Compile() { std::filesystem::create_directories(folder_); }
  ~Compile() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  static CompileOptions options() {
    CompileOptions options;
    options.include_dir = NLLDIFF_SIMT_INCLUDE;
    options.runtime_library = NLLDIFF_SIMT_RUNTIME;
    return options;
  }
  std::string complaint(const std::string& source, const CompileOptions& compile_options) const {
    try {
      compile_for_host(source, folder_ + "/out.so", compile_options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "compiled";
  }
  std::string folder_ = testing::TempDir() + "nlldiff_simt_compile_" + std::to_string(::getpid());
};

TEST_F(Compile, ASourceBecomesALibraryThatRuns) {
  const std::string source =
      write("answer.cu",
            "#include \"answer.cuh\"\n__global__ void k(int* out) { *out = ANSWER; }\n"
            "extern \"C\" __attribute__((visibility(\"default\"))) void go(int* out) { k<<<1, 1>>>(out); }\n");
  write("answer.cuh", "#define ANSWER 42\n");
  CompileOptions compile_options = options();
  compile_options.depfile = folder_ + "/answer.d";
  ASSERT_EQ(complaint(source, compile_options), "compiled");
  const Library library(folder_ + "/out.so");
  Bench<int> bench(1);
  bench.call(library.find<void(int*)>("go"), bench.out());
  EXPECT_EQ(bench.out()[0], 42);
  std::ostringstream depends_text;
  depends_text << std::ifstream(compile_options.depfile).rdbuf();
  const std::string depends = depends_text.str();
  EXPECT_THAT(depends, AllOf(HasSubstr("answer.cuh"), HasSubstr("cuda_runtime.h")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 4) << "no temporary files stay";
}

TEST_F(Compile, TheCompilersOwnWordsComeThrough) {
  EXPECT_THAT(complaint(write("bad.cu", "__global__ void k() {\n  undeclared = 1;\n}\n"), options()),
              AllOf(HasSubstr("bad.cu: g++ refuses to compile it for the host"), HasSubstr("bad.cu:2:"),
                    HasSubstr("undeclared")));
  EXPECT_THAT(complaint(write("cg.cu", "#include <cooperative_groups.h>\n"), options()),
              HasSubstr("no cooperative groups on the host"));
  EXPECT_THAT(complaint(write("link.cu", "void nowhere(); void f() { nowhere(); }\n"), options()),
              AllOf(HasSubstr("refuses to link"), HasSubstr("nowhere")));
}

TEST_F(Compile, MissingFilesAndCompilersAreSaid) {
  EXPECT_THAT(complaint(folder_ + "/none.cu", options()), HasSubstr("no such file"));
  CompileOptions other = options();
  other.compiler = "no-such-compiler";
  EXPECT_THAT(complaint(write("a.cu", "int a;\n"), other), HasSubstr("cannot be started; is it installed?"));
  EXPECT_THROW(compile_for_host(folder_ + "/a.cu", "/nowhere/at/all/out.so", options()), Error);
}

TEST_F(Compile, FingerprintsDifferWhereTheResultWould) {
  CompileOptions other = options();
  other.extra_flags = {"-DX=1"};
  EXPECT_NE(compile_fingerprint(options()), compile_fingerprint(other));
  EXPECT_EQ(compile_fingerprint(options()), compile_fingerprint(options()));
}

}  // namespace
}  // namespace nlldiff::simt
