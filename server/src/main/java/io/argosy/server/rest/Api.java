package io.argosy.server.rest;

import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.Layer;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.authz.Authorizer.Decision;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.usage.UsageSource;
import io.argosy.store.StoreException;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The API itself, without HTTP: authorizes a request on a resource and carries it out. Both doors, HTTP and in-process, lead here. */
public final class Api {
    private static final Logger LOG = LoggerFactory.getLogger(Api.class);

    private final Registry registry;
    private final Authorizer authorizer;
    private final Clock clock;
    private final Parts parts;
    private final Subresources subresources;
    private final Reviews reviews;
    private final UsageViews usage;
    private final Components components;
    private volatile Audit audit;

    /** With what administrators have set over requests, for those that do not come to the registry as objects of their resource. */
    public Api(
            Registry registry,
            Authorizer authorizer,
            ServiceAccountTokens tokens,
            BearerTokens allTokens,
            Clock clock,
            Health health,
            Admission extensions) {
        this.registry = registry;
        this.authorizer = authorizer;
        this.clock = clock;
        this.parts = new Parts(extensions);
        this.subresources = new Subresources(registry, clock, new TokenRequests(registry, tokens, parts), parts);
        this.reviews = new Reviews(authorizer, allTokens);
        this.usage = new UsageViews(registry);
        this.components = new Components(health);
    }

    Parts parts() {
        return parts;
    }

    public Registry registry() {
        return registry;
    }

    public Clock clock() {
        return clock;
    }

    /** Who knows what nodes and pods use. */
    public void measuredBy(UsageSource source) {
        usage.measuredBy(source);
    }

    /** Who writes down what is asked for; nobody until this is called. */
    public void auditedBy(Audit auditor) {
        audit = auditor;
    }

    public Optional<Audit> audit() {
        return Optional.ofNullable(audit);
    }

    /** Everything that answers with one object. */
    public Answer handle(ResourceRequest request) {
        authorize(request.action());
        return stored(() -> single(request));
    }

    private Answer single(ResourceRequest request) {
        if (Reviews.isReview(request.type())) {
            return reviews.handle(request);
        }
        if (request.type().groupResource().toString().equals("bindings")) {
            return subresources.handle(registry.store("", "pods"), request.asBindingOfPod());
        }
        if (Components.isComponent(request.type())) {
            return Answer.ok(components.get(request), 0);
        }
        if (UsageViews.isUsage(request.type())) {
            return usage.get(request);
        }
        ResourceStore store = store(request);
        if (!request.subresource().isEmpty()) {
            return subresources.handle(store, request);
        }
        return switch (request.verb()) {
            case "get" -> Reads.get(store, request);
            case "create" -> Writes.create(store, request);
            case "update" -> Writes.update(store, request, () -> mayCreate(request));
            case "patch" -> Writes.patch(store, request, () -> mayCreate(request));
            case "delete" -> Writes.delete(store, request);
            default -> throw Subresources.notAllowed();
        };
    }

    /** Who changes what is not there makes it, and needs the right to. */
    private void mayCreate(ResourceRequest request) {
        authorize(request.action().as("create"));
    }

    /** Lists, and deletions of what a list shows. */
    public ListAnswer list(ResourceRequest request) {
        authorize(request.action());
        if (Components.isComponent(request.type())) {
            return new ListAnswer(request.type(), components.all(), registry.revision(), "", 0);
        }
        if (UsageViews.isUsage(request.type())) {
            return usage.list(request);
        }
        ResourceStore store = store(request);
        return stored(() -> request.verb().equals("deletecollection")
                ? Writes.deleteCollection(store, request)
                : Reads.list(store, request));
    }

    public Watches.Opened watch(ResourceRequest request) {
        authorize(request.action());
        return stored(() -> Watches.open(store(request), request));
    }

    /** A store that cannot do its work is no fault of the request: it may be sent again. */
    private static <T> T stored(Supplier<T> work) {
        try {
            return work.get();
        } catch (StoreException failure) {
            throw new ApiException(
                    Reason.ServiceUnavailable, failure.getMessage(), ApiException.Details.NONE.withRetryAfter(1));
        }
    }

    /** For a watcher in this process, who holds the clock while there is something to tell. */
    Watches.Opened watchHolding(ResourceRequest request) {
        authorize(request.action());
        return Watches.open(store(request), request, clock);
    }

    ResourceStore store(ResourceRequest request) {
        return registry.store(request.type()).orElseThrow(Subresources::notAllowed);
    }

    public void authorize(Action action) {
        long begin = System.nanoTime();
        Decision decision = authorizer.decide(action);
        Audit.spent(Layer.AUTHORIZATION, System.nanoTime() - begin);
        if (!action.verb().equals("impersonate")) {
            Audit.decided(decision);
        }
        if (!decision.allowed()) {
            ApiException refusal = action.isOnResource() ? forbidden(action, decision.reason()) : forbiddenPath(action);
            LOG.debug("{}", refusal.getMessage());
            throw refusal;
        }
    }

    private static ApiException forbidden(Action action, String reason) {
        String resource =
                action.subresource().isEmpty() ? action.resource() : action.resource() + "/" + action.subresource();
        String where = action.namespace().isEmpty()
                ? " at the cluster scope"
                : " in the namespace \"" + action.namespace() + "\"";
        return ApiException.forbidden(
                new GroupResource(action.group(), action.resource()),
                action.name(),
                "User \"" + action.user().name() + "\" cannot " + action.verb() + " resource \"" + resource
                        + "\" in API group \"" + action.group() + "\"" + where
                        + (reason.isEmpty() ? "" : ": " + reason));
    }

    private static ApiException forbiddenPath(Action action) {
        return new ApiException(
                Reason.Forbidden,
                "forbidden: User \"" + action.user().name() + "\" cannot " + action.verb() + " path \"" + action.path()
                        + "\"");
    }
}
