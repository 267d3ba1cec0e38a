package io.argosy.server.cel;

import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.authz.Authorizer.Decision;
import io.argosy.server.cel.Functions.Type;
import java.util.List;

/** What somebody may do, as expressions ask for it: {@code authorizer.group('apps').resource('deployments').check('create').allowed()}. */
public record Access(Authorizer authorizer, User user) {
    private static final Type STRING = new Type(SimpleType.STRING, String.class);
    private static final Type BOOL = new Type(SimpleType.BOOL, Boolean.class);
    private static final Type ACCESS = type("Authorizer", Access.class);
    private static final Type PATH = type("PathCheck", PathCheck.class);
    private static final Type GROUP = type("GroupCheck", GroupCheck.class);
    private static final Type RESOURCE = type("ResourceCheck", ResourceCheck.class);
    private static final Type DECISION = type("Decision", Decision.class);

    /** The types of the variables {@code authorizer} and {@code authorizer.requestResource}. */
    public static final OpaqueType TYPE = (OpaqueType) ACCESS.cel();

    public static final OpaqueType RESOURCE_TYPE = (OpaqueType) RESOURCE.cel();

    private static Type type(String name, Class<?> values) {
        return new Type(OpaqueType.create("kubernetes.authorization." + name), values);
    }

    record PathCheck(Access access, String path) {
        Decision check(String verb) {
            return access.authorizer().decide(Action.onPath(access.user(), verb, path));
        }
    }

    record GroupCheck(Access access, String group) {}

    record ResourceCheck(
            Access access, String group, String resource, String subresource, String namespace, String name) {
        Decision check(String verb) {
            return access.authorizer()
                    .decide(new Action(access.user(), verb, group, "*", resource, subresource, namespace, name, ""));
        }
    }

    /** The resource that a request is about, ready to be checked. */
    public Object resource(String group, String resource, String subresource, String namespace, String name) {
        return new ResourceCheck(this, group, resource, subresource, namespace, name);
    }

    static void functions(Functions f) {
        f.member("path", PATH, List.of(ACCESS, STRING), a -> new PathCheck((Access) a[0], (String) a[1]));
        f.member("group", GROUP, List.of(ACCESS, STRING), a -> new GroupCheck((Access) a[0], (String) a[1]));
        f.member(
                "serviceAccount",
                ACCESS,
                List.of(ACCESS, STRING, STRING),
                a -> ((Access) a[0]).as((String) a[1], (String) a[2]));
        f.member("resource", RESOURCE, List.of(GROUP, STRING), a -> {
            GroupCheck of = (GroupCheck) a[0];
            return new ResourceCheck(of.access(), of.group(), (String) a[1], "", "", "");
        });
        f.member("subresource", RESOURCE, List.of(RESOURCE, STRING), a -> {
            ResourceCheck of = (ResourceCheck) a[0];
            return new ResourceCheck(of.access(), of.group(), of.resource(), (String) a[1], of.namespace(), of.name());
        });
        f.member("namespace", RESOURCE, List.of(RESOURCE, STRING), a -> {
            ResourceCheck of = (ResourceCheck) a[0];
            return new ResourceCheck(
                    of.access(), of.group(), of.resource(), of.subresource(), (String) a[1], of.name());
        });
        f.member("name", RESOURCE, List.of(RESOURCE, STRING), a -> {
            ResourceCheck of = (ResourceCheck) a[0];
            return new ResourceCheck(
                    of.access(), of.group(), of.resource(), of.subresource(), of.namespace(), (String) a[1]);
        });
        // roles do not tell selections of objects apart: who may ask for some may ask for all
        f.member("fieldSelector", RESOURCE, List.of(RESOURCE, STRING), a -> a[0]);
        f.member("labelSelector", RESOURCE, List.of(RESOURCE, STRING), a -> a[0]);
        f.member("check", DECISION, List.of(PATH, STRING), a -> ((PathCheck) a[0]).check((String) a[1]));
        f.member("check", DECISION, List.of(RESOURCE, STRING), a -> ((ResourceCheck) a[0]).check((String) a[1]));
        f.member("allowed", BOOL, List.of(DECISION), a -> ((Decision) a[0]).allowed());
        f.member("reason", STRING, List.of(DECISION), a -> ((Decision) a[0]).reason());
        f.member("errored", BOOL, List.of(DECISION), a -> false);
        f.member("error", STRING, List.of(DECISION), a -> "");
    }

    private Access as(String namespace, String name) {
        return new Access(
                authorizer,
                new User(
                        "system:serviceaccount:" + namespace + ":" + name,
                        List.of("system:serviceaccounts", "system:serviceaccounts:" + namespace, User.AUTHENTICATED)));
    }
}
