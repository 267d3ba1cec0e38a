package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Probes, and what happens after a container's start and before its end. */
final class Handlers {
    private static final List<String> SCHEMES = List.of("HTTP", "HTTPS");
    private static final Pattern HEADER = Pattern.compile("[-A-Za-z0-9]+");
    private static final List<String> SIGNALS = signals();

    private Handlers() {}

    static void probes(Spot container, long gracePeriod) {
        for (String name : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
            Spot probe = container.at(name);
            if (!probe.isGiven()) {
                continue;
            }
            handler(probe, List.of("exec", "httpGet", "tcpSocket", "grpc"), gracePeriod);
            for (String field : List.of(
                    "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")) {
                probe.at(field).notNegative();
            }
            Spot grace = probe.at("terminationGracePeriodSeconds");
            if (grace.isGiven()) {
                grace.positive();
            }
            if (name.equals("readinessProbe")) {
                if (grace.isGiven()) {
                    grace.invalid("must not be set for readinessProbes");
                }
            } else if (probe.at("successThreshold").number() != 1) {
                probe.at("successThreshold").invalid("must be 1");
            }
        }
    }

    static void lifecycle(Spot lifecycle, Spot os, long gracePeriod) {
        for (String when : List.of("postStart", "preStop")) {
            if (lifecycle.has(when)) {
                handler(lifecycle.at(when), List.of("exec", "httpGet", "tcpSocket", "sleep"), gracePeriod);
            }
        }
        Spot signal = lifecycle.at("stopSignal");
        if (signal.isGiven()) {
            switch (os.text("name")) {
                case "" -> signal.forbidden("may not be set for containers with empty `spec.os.name`");
                case "windows" -> signal.oneOf(List.of("SIGKILL", "SIGTERM"));
                default -> signal.oneOf(SIGNALS);
            }
        }
    }

    private static void handler(Spot owner, List<String> kinds, long gracePeriod) {
        int given = 0;
        for (String kind : kinds) {
            Spot handler = owner.at(kind);
            if (!handler.isGiven()) {
                continue;
            }
            if (++given > 1) {
                handler.forbidden("may not specify more than 1 handler type");
                continue;
            }
            switch (kind) {
                case "exec" -> {
                    if (handler.at("command").value().isEmpty()) {
                        handler.at("command").required();
                    }
                }
                case "httpGet" -> httpGet(handler);
                case "sleep" -> {
                    long seconds = handler.at("seconds").number();
                    if (seconds < 0 || seconds > gracePeriod) {
                        handler.invalid(
                                seconds,
                                "must be non-negative and less than terminationGracePeriodSeconds (" + gracePeriod
                                        + ")");
                    }
                }
                default -> handler.at("port").portOrName();
            }
        }
        if (given == 0) {
            owner.required("must specify a handler type");
        }
    }

    private static void httpGet(Spot get) {
        get.at("path").needed();
        get.at("port").portOrName();
        get.at("scheme").oneOf(SCHEMES);
        for (Spot header : get.each("httpHeaders")) {
            if (!HEADER.matcher(header.text("name")).matches()) {
                get.at("httpHeaders")
                        .invalid(
                                header.text("name"),
                                "a valid HTTP header must consist of alphanumeric characters or '-' (e.g."
                                        + " 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
            }
        }
    }

    private static List<String> signals() {
        List<String> all = new ArrayList<>(List.of(
                "SIGABRT",
                "SIGALRM",
                "SIGBUS",
                "SIGCHLD",
                "SIGCLD",
                "SIGCONT",
                "SIGFPE",
                "SIGHUP",
                "SIGILL",
                "SIGINT",
                "SIGIO",
                "SIGIOT",
                "SIGKILL",
                "SIGPIPE",
                "SIGPOLL",
                "SIGPROF",
                "SIGPWR",
                "SIGQUIT",
                "SIGRTMAX"));
        for (int i = 1; i <= 14; i++) {
            all.add("SIGRTMAX-" + i);
        }
        all.add("SIGRTMIN");
        for (int i = 1; i <= 15; i++) {
            all.add("SIGRTMIN+" + i);
        }
        all.addAll(List.of(
                "SIGSEGV",
                "SIGSTKFLT",
                "SIGSTOP",
                "SIGSYS",
                "SIGTERM",
                "SIGTRAP",
                "SIGTSTP",
                "SIGTTIN",
                "SIGTTOU",
                "SIGURG",
                "SIGUSR1",
                "SIGUSR2",
                "SIGVTALRM",
                "SIGWINCH",
                "SIGXCPU",
                "SIGXFSZ"));
        all.sort(null);
        return List.copyOf(all);
    }
}
