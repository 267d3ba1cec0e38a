package io.argosy.server.openapi;

import io.argosy.server.openapi.Operation.Parameter;
import java.util.List;

/** The parameters that requests take. */
final class Parameters {
    static final Parameter NAMESPACE = path("namespace", "The namespace of the objects.");
    static final Parameter PATH = path("path", "The path to ask for behind the proxy.");
    static final Parameter PRETTY = text("pretty", "If true, the answer is indented.");

    /** Clients look for these two in the list of an operation itself. */
    static final Parameter DRY_RUN =
            text("dryRun", "With All, the request goes through everything but the store; nothing else is allowed.");

    static final Parameter FIELD_VALIDATION = text(
            "fieldValidation",
            "What to do with unknown and duplicate fields: Ignore drops them, Warn (the default) drops them and says so, Strict"
                    + " refuses the request.");

    private static final Parameter FIELD_MANAGER =
            text("fieldManager", "Who makes the change, in at most 128 printable characters; needed to apply.");
    private static final Parameter FORCE = flag("force", "Whether applying takes over fields that others own.");

    /** Of creates and updates. */
    static final List<Parameter> WRITE = List.of(DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION);

    static final List<Parameter> PATCH = List.of(DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION, FORCE);

    static final List<Parameter> DELETE = List.of(
            DRY_RUN,
            number("gracePeriodSeconds", "How long the object may take to end; zero means at once."),
            flag("orphanDependents", "Deprecated, use propagationPolicy: whether dependents are left alone."),
            text("propagationPolicy", "What happens to dependents: Orphan, Background or Foreground."));

    static final List<Parameter> LIST = List.of(
            flag("allowWatchBookmarks", "Whether a watch may be told of newer resource versions by BOOKMARK events."),
            text("continue", "The token from the page before."),
            text("fieldSelector", "Restricts the answer to objects with these fields."),
            text("labelSelector", "Restricts the answer to objects with these labels."),
            number("limit", "How many objects to answer with at most; more come page by page."),
            text("resourceVersion", "How recent the answer must be, or where a watch begins."),
            text("resourceVersionMatch", "How resourceVersion is meant: Exact or NotOlderThan."),
            flag("sendInitialEvents", "Whether a watch begins with the objects there are."),
            number("timeoutSeconds", "How long a list or watch may take."),
            flag("watch", "Whether to be told of changes instead of getting a list."));

    static final List<Parameter> DELETE_COLLECTION = List.of(
            LIST.get(1),
            DRY_RUN,
            LIST.get(2),
            DELETE.get(1),
            LIST.get(3),
            LIST.get(4),
            DELETE.get(2),
            DELETE.get(3),
            LIST.get(5),
            LIST.get(6),
            LIST.get(7),
            LIST.get(8));

    private static final Parameter CONTAINER =
            text("container", "Which container; needed where there is more than one.");

    private static final List<Parameter> LOG = List.of(
            CONTAINER,
            flag("follow", "Whether to go on as the log grows."),
            flag("insecureSkipTLSVerifyBackend", "Whether the node's certificate need not be good."),
            number("limitBytes", "How many bytes to answer with at most."),
            flag("previous", "Whether to show the container that ran before."),
            number("sinceSeconds", "How many seconds to go back."),
            text("sinceTime", "From when on to show lines."),
            text("stream", "Which stream: All, Stdout or Stderr."),
            number("tailLines", "How many of the last lines to show."),
            flag("timestamps", "Whether each line begins with its time."));

    private static final List<Parameter> ATTACH = List.of(
            CONTAINER,
            flag("stderr", "Whether to get its error output."),
            flag("stdin", "Whether to send it input."),
            flag("stdout", "Whether to get its output."),
            flag("tty", "Whether it has a terminal."));

    private static final List<Parameter> EXEC = List.of(
            text("command", "The command and its arguments, one each."),
            CONTAINER,
            ATTACH.get(1),
            ATTACH.get(2),
            ATTACH.get(3),
            ATTACH.get(4));

    private Parameters() {}

    /** The parameters of a subresource that talks to what runs. */
    static List<Parameter> ofConnection(String subresource) {
        return switch (subresource) {
            case "log" -> LOG;
            case "attach" -> ATTACH;
            case "exec" -> EXEC;
            case "portforward" -> List.of(number("ports", "Which ports; needed over WebSocket only."));
            default -> List.of(text("path", "The path to ask for."));
        };
    }

    static Parameter name(String kind) {
        return path("name", "The name of the " + kind + ".");
    }

    private static Parameter path(String name, String description) {
        return new Parameter(name, true, "string", description);
    }

    private static Parameter text(String name, String description) {
        return new Parameter(name, false, "string", description);
    }

    private static Parameter number(String name, String description) {
        return new Parameter(name, false, "integer", description);
    }

    private static Parameter flag(String name, String description) {
        return new Parameter(name, false, "boolean", description);
    }
}
