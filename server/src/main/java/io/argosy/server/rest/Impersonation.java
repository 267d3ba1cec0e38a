package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import io.argosy.server.audit.Audit;
import io.argosy.server.authn.ExtraHeaders;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lets somebody act as somebody else, if a role allows them to be each part of that: the name, the groups, and what else is claimed. */
public final class Impersonation implements HttpHandler {
    private static final String PREFIX = "impersonate-";
    private static final String EXTRA = PREFIX + "extra-";
    private static final String AUTHENTICATION = "authentication.k8s.io";

    private final Api api;
    private final HttpHandler next;

    public Impersonation(Api api, HttpHandler next) {
        this.api = api;
        this.next = next;
    }

    @Override
    public boolean streams(String path) {
        return next.streams(path);
    }

    @Override
    public boolean tryFast(HttpCall call, HttpReply reply) {
        return next.tryFast(acting(call), reply);
    }

    @Override
    public void handle(HttpCall call, HttpReply reply) throws InterruptedException {
        next.handle(acting(call), reply);
    }

    private HttpCall acting(HttpCall call) {
        if (!isAsked(call)) {
            return call;
        }
        String name = call.header(PREFIX + "user");
        List<String> groups = new ArrayList<>(call.headers().getAll(PREFIX + "group"));
        String uid = call.header(PREFIX + "uid");
        Map<String, List<String>> extra = ExtraHeaders.read(EXTRA, call.headers());
        if (name.isEmpty()) {
            throw ApiException.badRequest("requested groups, uid or extra without impersonating a user");
        }
        authorize(call.user(), name, groups, uid, extra);
        User other = new User(name, completed(name, groups), uid, extra);
        Audit.impersonated(other);
        return call.as(other);
    }

    private static boolean isAsked(HttpCall call) {
        for (String header : call.headers().names()) {
            if (header.regionMatches(true, 0, PREFIX, 0, PREFIX.length())) {
                return true;
            }
        }
        return false;
    }

    private void authorize(User user, String name, List<String> groups, String uid, Map<String, List<String>> extra) {
        String[] account = account(name);
        if (account != null) {
            impersonates(user, "", "serviceaccounts", "", account[0], account[1]);
        } else {
            impersonates(user, "", "users", "", "", name);
        }
        groups.forEach(group -> impersonates(user, "", "groups", "", "", group));
        if (!uid.isEmpty()) {
            impersonates(user, AUTHENTICATION, "uids", "", "", uid);
        }
        extra.forEach((key, values) ->
                values.forEach(value -> impersonates(user, AUTHENTICATION, "userextras", key, "", value)));
    }

    private void impersonates(
            User user, String group, String resource, String subresource, String namespace, String name) {
        api.authorize(new Action(user, "impersonate", group, "v1", resource, subresource, namespace, name, ""));
    }

    /** Namespace and name, if the user is a service account. */
    private static String[] account(String name) {
        if (!name.startsWith(ServiceAccountTokens.USER_PREFIX)) {
            return null;
        }
        String[] parts =
                name.substring(ServiceAccountTokens.USER_PREFIX.length()).split(":", -1);
        return parts.length == 2 ? parts : null;
    }

    /** The groups that everybody of the kind is in. */
    private static List<String> completed(String name, List<String> asked) {
        List<String> groups = new ArrayList<>(asked);
        String[] account = account(name);
        if (account != null && asked.isEmpty()) {
            groups.add("system:serviceaccounts");
            groups.add("system:serviceaccounts:" + account[0]);
        }
        String known =
                name.equals(User.ANONYMOUS.name()) ? User.ANONYMOUS.groups().getFirst() : User.AUTHENTICATED;
        if (!groups.contains(known)) {
            groups.add(known);
        }
        return groups;
    }
}
