package io.argosy.server.rules;

import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Optional;

/** Which requests from outside go to which Service. */
public final class IngressRules {
    private static final List<String> NEVER_IN_PATHS = List.of("//", "/./", "/../", "%2f", "%2F");
    private static final List<String> NEVER_AT_ENDS = List.of("/..", "/.");
    private static final List<String> PATH_TYPES = List.of("Exact", "ImplementationSpecific", "Prefix");
    private static final String CLASS = "kubernetes.io/ingress.class";
    private static final int LONGEST_CONTROLLER = 250;

    private IngressRules() {}

    public static void check(Spot ingress) {
        Spot spec = ingress.at("spec");
        if (spec.each("rules").isEmpty() && !spec.has("defaultBackend")) {
            spec.invalid(spec.at("rules").valueOrNull(), "either `defaultBackend` or `rules` must be specified");
        }
        if (spec.has("defaultBackend")) {
            backend(spec.at("defaultBackend"));
        }
        spec.each("rules").forEach(IngressRules::rule);
        for (Spot tls : spec.each("tls")) {
            tls.each("hosts").forEach(IngressRules::host);
            if (!tls.text("secretName").isEmpty()) {
                tls.at("secretName").subdomain();
            }
        }
        if (spec.has("ingressClassName")) {
            spec.at("ingressClassName").subdomain();
        }
    }

    /** What is asked of new ones only. */
    public static void checkNew(Spot ingress) {
        Spot old = ingress.at("metadata").at("annotations").key(CLASS);
        String name = ingress.at("spec").text("ingressClassName");
        if (old.isGiven()
                && ingress.at("spec").has("ingressClassName")
                && !old.text().equals(name)) {
            ingress.errors()
                    .invalid(
                            "annotations." + CLASS,
                            old.text(),
                            "must match `ingressClassName` when both are specified");
        }
    }

    private static void host(Spot host) {
        Optional<String> error =
                host.text().contains("*") ? wildcardError(host.text()) : Names.subdomainError(host.text());
        error.ifPresent(host::invalid);
    }

    private static Optional<String> wildcardError(String host) {
        return host.startsWith("*.") && Names.subdomainError(host.substring(2)).isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which"
                                + " must consist of lower case alphanumeric characters, '-' or '.' and end with an"
                                + " alphanumeric character (e.g. '*.example.com', regex used for validation is"
                                + " '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    }

    private static void rule(Spot rule) {
        if (!rule.text("host").isEmpty()) {
            if (Spot.isAddress(rule.text("host"))) {
                rule.at("host").invalid("must be a DNS name, not an IP address");
            }
            host(rule.at("host"));
        }
        Spot http = rule.at("http");
        if (http.isGiven()) {
            if (http.each("paths").isEmpty()) {
                http.at("paths").required();
            }
            http.each("paths").forEach(IngressRules::path);
        }
    }

    private static void path(Spot place) {
        Spot path = place.at("path");
        String type = place.text("pathType");
        if (!place.has("pathType")) {
            place.at("pathType").required("pathType must be specified");
            return;
        }
        if (!PATH_TYPES.contains(type)) {
            place.errors().notSupported(place.at("pathType").path(), type, PATH_TYPES);
        }
        boolean specific = type.equals("ImplementationSpecific");
        if (PATH_TYPES.contains(type)
                && !(specific && path.text().isEmpty())
                && !path.text().startsWith("/")) {
            path.invalid(path.text(), "must be an absolute path");
        }
        if (PATH_TYPES.contains(type) && !specific) {
            NEVER_IN_PATHS.stream()
                    .filter(path.text()::contains)
                    .forEach(part -> path.invalid("must not contain '" + part + "'"));
            NEVER_AT_ENDS.stream()
                    .filter(path.text()::endsWith)
                    .forEach(end -> path.invalid("cannot end with '" + end + "'"));
        }
        backend(place.at("backend"));
    }

    private static void backend(Spot backend) {
        boolean resource = backend.has("resource");
        boolean service = backend.has("service");
        if (resource && service) {
            backend.invalid("", "cannot set both resource and service backends");
        } else if (resource) {
            reference(backend.at("resource"));
        } else if (service) {
            service(backend);
        } else {
            backend.invalid("", "resource or service backend is required");
        }
    }

    private static void reference(Spot reference) {
        if (reference.has("apiGroup")) {
            reference.at("apiGroup").subdomain();
        }
        for (String field : List.of("kind", "name")) {
            Spot part = reference.at(field);
            if (part.needed()) {
                Names.pathSegmentError(part.text()).ifPresent(part::invalid);
            }
        }
    }

    private static void service(Spot backend) {
        Spot name = backend.at("service").at("name");
        if (name.needed()) {
            Names.label1035Error(name.text()).ifPresent(name::invalid);
        }
        Spot port = backend.at("service").at("port");
        boolean named = !port.text("name").isEmpty();
        boolean numbered = port.at("number").number() != 0;
        if (named && numbered) {
            backend.invalid("", "cannot set both port name & port number");
        } else if (named) {
            port.at("name").portName();
        } else if (numbered) {
            port.at("number").port();
        } else {
            backend.required("port name or number is required");
        }
    }

    /** Where a balancer says that it answers; also of Services. */
    public static void checkBalancer(Spot balancer) {
        for (Spot answer : balancer.each("ingress")) {
            if (!answer.text("ip").isEmpty()) {
                answer.at("ip").address();
            }
            Spot host = answer.at("hostname");
            if (!host.text().isEmpty()) {
                host.subdomain();
                if (Spot.isAddress(host.text())) {
                    host.invalid("must be a DNS name, not an IP address");
                }
            }
        }
    }

    public static void checkClass(Spot ingressClass) {
        ingressClass.at("spec").at("controller").notLongerThan(LONGEST_CONTROLLER);
        ingressClass.at("spec").at("controller").domainPrefixedPath();
        if (ingressClass.at("spec").has("parameters")) {
            parameters(ingressClass.at("spec").at("parameters"));
        }
    }

    /** Where the controller of a class finds out more. */
    private static void parameters(Spot parameters) {
        reference(parameters);
        Spot namespace = parameters.at("namespace");
        switch (parameters.text("scope")) {
            case "Namespace" -> {
                if (namespace.isGiven()) {
                    namespace.label();
                } else {
                    namespace.required("`parameters.scope` is set to 'Namespace'");
                }
            }
            case "Cluster" -> {
                if (namespace.isGiven()) {
                    namespace.forbidden("`parameters.scope` is set to 'Cluster'");
                }
            }
            default -> parameters.at("scope").neededOneOf(List.of("Cluster", "Namespace"));
        }
    }
}
