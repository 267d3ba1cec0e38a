package io.argosy.server.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.CelTypes;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelListsExtensions;
import dev.cel.extensions.CelListsExtensions.Function;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Compiles and evaluates expressions of the Common Expression Language as Kubernetes knows it. Nothing of CEL is loaded before somebody asks
 * for this class.
 */
public final class Expressions {
    /** What one evaluation may cost; Kubernetes' limit for a call. */
    public static final long CALL_LIMIT = 1_000_000;

    /** What is said where several evaluations together cost more than they may. */
    public static final String OUT_OF_BUDGET =
            "validation failed due to running out of cost budget, no further validation rules will be run";

    private static final int MAX_LENGTH = 1 << 16;

    private static final Pattern GRAMMAR = Pattern.compile(
            "(?m)^(ERROR: [^:]*:[0-9]+:[0-9]+: )(?=(extraneous|mismatched) input |missing |no viable alternative|token"
                    + " recognition error)");

    private static final CelOptions OPTIONS = CelOptions.current()
            .evaluateCanonicalTypesToNativeValues(true)
            .enableHeterogeneousNumericComparisons(true)
            .enableRegexPartialMatch(true)
            .enableTimestampEpoch(true)
            .enableUnsignedLongs(true)
            .enableOptionalSyntax(true)
            .maxExpressionCodePointSize(MAX_LENGTH)
            .maxParseRecursionDepth(100)
            .comprehensionMaxIterations((int) CALL_LIMIT)
            .build();

    private static final CelListsExtensions LISTS = CelExtensions.lists(
            Function.SLICE, Function.FLATTEN, Function.RANGE, Function.DISTINCT, Function.REVERSE, Function.SORT);

    private static final Functions KUBERNETES = KubernetesLibrary.functions();

    /** The language's own, but for patterns, which are to be of bounded size. */
    private static final CelRuntime RUNTIME = CelRuntimeFactory.standardCelRuntimeBuilder()
            .setOptions(OPTIONS)
            .setStandardEnvironmentEnabled(false)
            .setStandardFunctions(CelStandardFunctions.newBuilder()
                    .excludeFunctions(CelStandardFunctions.StandardFunction.MATCHES)
                    .build())
            .addFunctionBindings(
                    CelFunctionBinding.from("matches", String.class, String.class, Expressions::matches),
                    CelFunctionBinding.from("matches_string", String.class, String.class, Expressions::matches))
            .addFunctionBindings(OptionalIndex.bindings(OPTIONS))
            .addLibraries(
                    CelExtensions.strings(),
                    LISTS,
                    CelExtensions.sets(OPTIONS),
                    CelExtensions.optional(),
                    CelExtensions.comprehensions(),
                    KUBERNETES)
            .build();

    private Expressions() {}

    private static Object matches(String text, String pattern) {
        return Patterns.compiled(pattern).matcher(text).find();
    }

    /** The expression is not right; the message says where. */
    public static final class CompileException extends Exception {
        private static final long serialVersionUID = 1L;

        CompileException(String message) {
            super(message, null, false, false);
        }
    }

    /** An evaluation came to no result. */
    public static final class EvaluationException extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean overBudget;
        private final long cost;

        EvaluationException(String message, boolean overBudget, long cost) {
            super(message, null, false, false);
            this.overBudget = overBudget;
            this.cost = cost;
        }

        /** What it had cost until then. */
        public long cost() {
            return cost;
        }

        public boolean overBudget() {
            return overBudget;
        }
    }

    /** What an evaluation came to, and what it cost. */
    public record Outcome(Object value, long cost) {}

    /** A checked expression; immutable, for any number of threads. */
    public static final class Expression {
        private final CelRuntime.Program program;
        private final CelAbstractSyntaxTree tree;
        private final Meter.Calls calls;

        private Expression(CelRuntime.Program program, CelAbstractSyntaxTree tree) {
            this.program = program;
            this.tree = tree;
            this.calls = new Meter.Calls(tree);
        }

        public CelType resultType() {
            return tree.getResultType();
        }

        /** The type of what it comes to, as messages name it. */
        public String shownType() {
            return CelTypes.format(tree.getResultType());
        }

        public CelAbstractSyntaxTree tree() {
            return tree;
        }

        public boolean uses(String variable) {
            return tree.getReferenceMap().values().stream()
                    .anyMatch(one -> one.name().equals(variable));
        }

        public Outcome evaluate(Map<String, ?> variables, long budget) throws EvaluationException {
            Meter meter = new Meter(calls, Math.min(budget, CALL_LIMIT));
            try {
                return new Outcome(program.trace(variables, meter), meter.spent());
            } catch (CelEvaluationException failed) {
                throw failure(failed, meter);
            } catch (RuntimeException failed) {
                throw failure(failed, meter);
            }
        }

        private static EvaluationException failure(Exception failed, Meter meter) {
            String message = String.valueOf(failed.getMessage());
            if (meter.exhausted() || message.contains("Iteration budget exceeded")) {
                return new EvaluationException("operation cancelled: actual cost limit exceeded", true, meter.spent());
            }
            Throwable root = failed;
            while (root.getCause() != null && root.getCause() instanceof IllegalArgumentException) {
                root = root.getCause();
            }
            String words = root == failed
                    ? message.replaceFirst("^evaluation error( at [^:]*:[0-9]+)?: ", "")
                    : root.getMessage();
            return new EvaluationException(words, false, meter.spent());
        }
    }

    /** The grammar's complaints are announced as such, as Kubernetes' own parser does. */
    private static String words(CelValidationException wrong) {
        return GRAMMAR.matcher(wrong.getMessage()).replaceAll("$1Syntax error: ");
    }

    /** Compiles expressions over some variables. */
    public static final class Scope {
        private final CelCompiler compiler;

        /** The structs that variables are made of are found by name. */
        public Scope(Map<String, CelType> variables, Map<String, CelType> structs) {
            this(variables, structs, List.of());
        }

        private Scope(
                Map<String, CelType> variables, Map<String, CelType> structs, List<CelCompilerLibrary> additions) {
            CelCompilerBuilder builder = CelCompilerFactory.standardCelCompilerBuilder()
                    .setOptions(OPTIONS)
                    .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                    .addMacros(SortBy.MACRO)
                    .addLibraries(
                            CelExtensions.strings(),
                            LISTS,
                            CelExtensions.sets(OPTIONS),
                            CelExtensions.optional(),
                            CelExtensions.comprehensions(),
                            KUBERNETES)
                    .addLibraries(additions)
                    .setTypeProvider(new Structs(ImmutableMap.copyOf(structs)));
            variables.forEach(builder::addVar);
            this.compiler = builder.build();
        }

        /** One whose expressions may also name what they use more than once: {@code cel.bind(name, value, expression)}. */
        public static Scope binding(Map<String, CelType> variables, Map<String, CelType> structs) {
            return new Scope(variables, structs, List.of(CelExtensions.bindings()));
        }

        public Expression compile(String expression) throws CompileException {
            try {
                return program(compiler.compile(expression).getAst(), false);
            } catch (CelValidationException wrong) {
                throw new CompileException("compilation failed: " + words(wrong));
            }
        }

        /** The same where the expression makes objects, as {@code Object{spec: Object.spec{replicas: 3}}}: they become maps. */
        public Expression compileMaking(String expression) throws CompileException {
            try {
                CelAbstractSyntaxTree parsed = compiler.parse(expression).getAst();
                return program(compiler.check(StructLiterals.asMaps(parsed)).getAst(), true);
            } catch (CelValidationException wrong) {
                throw new CompileException("compilation failed: " + words(wrong));
            }
        }

        private Expression program(CelAbstractSyntaxTree tree, boolean mixed) throws CompileException {
            String wrong = Literals.errors(tree, compiler, RUNTIME, mixed);
            if (!wrong.isEmpty()) {
                throw new CompileException("compilation failed: " + wrong);
            }
            try {
                return new Expression(RUNTIME.createProgram(OptionalIndex.settled(tree)), tree);
            } catch (CelEvaluationException impossible) {
                throw new CompileException("program instantiation failed: " + impossible.getMessage());
            }
        }
    }

    private record Structs(ImmutableMap<String, CelType> byName) implements CelTypeProvider {
        @Override
        public ImmutableCollection<CelType> types() {
            return byName.values();
        }

        @Override
        public Optional<CelType> findType(String name) {
            return Optional.ofNullable(byName.get(name));
        }
    }
}
