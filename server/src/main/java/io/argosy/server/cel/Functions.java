package io.argosy.server.cel;

import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.parser.CelParserBuilder;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeLibrary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Functions for rules, each said once: what the checker needs to know of it and what the evaluator does. */
final class Functions implements CelCompilerLibrary, CelRuntimeLibrary {
    private final Map<String, List<CelOverloadDecl>> declarations = new LinkedHashMap<>();
    private final List<CelFunctionBinding> bindings = new ArrayList<>();

    /** What a function does with its arguments, the receiver first. */
    interface Body {
        Object apply(Object[] arguments);
    }

    /** A type of a rule, and the class of its values. */
    record Type(CelType cel, Class<?> java) {}

    Functions global(String name, Type result, List<Type> parameters, Body body) {
        return add(name, false, result, parameters, body);
    }

    /** A function that is called on its first parameter. */
    Functions member(String name, Type result, List<Type> parameters, Body body) {
        return add(name, true, result, parameters, body);
    }

    @SuppressWarnings("Immutable") // the bodies are functions without state
    private Functions add(String name, boolean member, Type result, List<Type> parameters, Body body) {
        StringBuilder id = new StringBuilder("kubernetes_" + name.replace('.', '_') + (member ? "_of" : ""));
        parameters.forEach(
                parameter -> id.append('_').append(parameter.cel().name().replaceAll("[^A-Za-z]", "")));
        List<CelType> types = parameters.stream().map(Type::cel).toList();
        declarations
                .computeIfAbsent(name, n -> new ArrayList<>())
                .add(
                        member
                                ? CelOverloadDecl.newMemberOverload(id.toString(), result.cel(), types)
                                : CelOverloadDecl.newGlobalOverload(id.toString(), result.cel(), types));
        List<Class<?>> classes = new ArrayList<>();
        parameters.forEach(parameter -> classes.add(parameter.java()));
        CelFunctionOverload overload = arguments -> body.apply(arguments);
        bindings.add(CelFunctionBinding.from(id.toString(), classes, overload));
        return this;
    }

    @Override
    public void setCheckerOptions(CelCheckerBuilder checker) {
        declarations.forEach((name, overloads) ->
                checker.addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(name, overloads)));
    }

    @Override
    public void setParserOptions(CelParserBuilder parser) {}

    @Override
    public void setRuntimeOptions(CelRuntimeBuilder runtime) {
        runtime.addFunctionBindings(bindings);
    }
}
