package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import io.argosy.api.names.Lot;
import io.argosy.api.time.Clock;
import io.argosy.server.admission.EndpointAdmission;
import io.argosy.server.admission.IngressAdmission;
import io.argosy.server.admission.LimitRanger;
import io.argosy.server.admission.NamespaceLifecycle;
import io.argosy.server.admission.NewNodes;
import io.argosy.server.admission.PodAdmission;
import io.argosy.server.admission.PodPresets;
import io.argosy.server.admission.PriorityAdmission;
import io.argosy.server.admission.QuotaAdmission;
import io.argosy.server.admission.RuntimeClassAdmission;
import io.argosy.server.admission.StorageAdmission;
import io.argosy.server.admission.TimedAdmission;
import io.argosy.server.admission.TokenSecrets;
import io.argosy.server.admission.TopologyLabels;
import io.argosy.server.aggregation.Aggregation;
import io.argosy.server.aggregation.ApiServiceStrategy;
import io.argosy.server.audit.Audit;
import io.argosy.server.authn.AllTokens;
import io.argosy.server.authn.Authenticator;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.BootstrapTokens;
import io.argosy.server.authn.Credentials;
import io.argosy.server.authn.LegacyTokenUses;
import io.argosy.server.authn.LegacyTokens;
import io.argosy.server.authn.OwnSignatures;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.TokenAuthenticator;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizers;
import io.argosy.server.authz.EscalationCheck;
import io.argosy.server.authz.RbacAuthorizer;
import io.argosy.server.authz.node.NodeAuthorizer;
import io.argosy.server.authz.node.NodeRestriction;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.certificates.SigningRequestStrategy;
import io.argosy.server.certificates.SigningRequests;
import io.argosy.server.crd.DefinitionForm;
import io.argosy.server.crd.DefinitionStrategy;
import io.argosy.server.crd.Definitions;
import io.argosy.server.flow.FlowControl;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpServer;
import io.argosy.server.initializer.Initializers;
import io.argosy.server.kinds.NodePorts;
import io.argosy.server.kinds.ServiceAddresses;
import io.argosy.server.kinds.Strategies;
import io.argosy.server.metrics.AdmissionMetrics;
import io.argosy.server.metrics.MeasuredStore;
import io.argosy.server.metrics.Metrics;
import io.argosy.server.metrics.ProcessMetrics;
import io.argosy.server.metrics.RequestMetrics;
import io.argosy.server.podsecurity.PodSecurity;
import io.argosy.server.policy.MutatingPolicies;
import io.argosy.server.policy.ParamReaders;
import io.argosy.server.policy.PolicyStatus;
import io.argosy.server.policy.ValidatingPolicies;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.EventExpiry;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.StorageLayout;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rest.Api;
import io.argosy.server.rest.AuditedHandler;
import io.argosy.server.rest.Health;
import io.argosy.server.rest.Impersonation;
import io.argosy.server.rest.IssuerPages;
import io.argosy.server.rest.LocalApi;
import io.argosy.server.rest.NodeEndpoint;
import io.argosy.server.rest.Pages;
import io.argosy.server.rest.PodConnections;
import io.argosy.server.rest.Reception;
import io.argosy.server.rest.RestHandler;
import io.argosy.server.stream.NodeGateway;
import io.argosy.server.usage.UsageSource;
import io.argosy.server.webhook.WebhookAdmission;
import io.argosy.server.webhook.WebhookClient;
import io.argosy.server.webhook.WebhookFaults;
import io.argosy.store.Store;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/** The API server: a store behind, HTTPS and an in-process door in front. */
public final class ApiServer implements AutoCloseable {
    private static final Duration VISITORS_FIRST = Duration.ofSeconds(5);

    private final RbacAuthorizer roles = new RbacAuthorizer();
    private final NodeAuthorizer nodes = new NodeAuthorizer();
    private final Authorizer authorizer = new Authorizers(List.of(nodes, roles));
    private final Registry registry;
    private final Definitions definitions;
    private final WebhookFaults webhookFaults = new WebhookFaults();
    private final WebhookClient webhookClient;
    private final ServiceAccountTokens tokens;
    private final BearerTokens allTokens;
    private final Api api;
    private final Health health;
    private final EventExpiry eventExpiry;
    private final Metrics metrics = new Metrics();
    private final Reception reception;
    private final PolicyStatus policyStatus;
    private final Aggregation aggregation;
    private final PostStartHooks postStart = new PostStartHooks();
    private final Clock clock;
    private Clock.Timer latest;
    private HttpServer http;

    /**
     * What the server is told about the cluster.
     *
     * @param serviceCidr the range service addresses are taken from
     * @param lot decides what is left to chance
     * @param limits how many requests are worked on at once
     * @param world by which webhooks are given up: they live outside, whatever time it is in the cluster
     */
    public record Config(
            String serviceCidr, int firstNodePort, int lastNodePort, Lot lot, FlowControl.Limits limits, Clock world) {
        public Config(String serviceCidr, int firstNodePort, int lastNodePort, Lot lot) {
            this(serviceCidr, firstNodePort, lastNodePort, lot, FlowControl.Limits.DEFAULT, Clock.system());
        }

        public Config(String serviceCidr, int firstNodePort, int lastNodePort) {
            this(serviceCidr, firstNodePort, lastNodePort, Lot.random());
        }
    }

    public ApiServer(Config config, Store store, Credentials credentials, Clock clock) {
        this.clock = clock;
        ServiceAddresses addresses = new ServiceAddresses(config.serviceCidr(), config.lot());
        NodePorts nodePorts = new NodePorts(config.firstNodePort(), config.lastNodePort(), config.lot());
        Registry[] self = new Registry[1];
        Strategies strategies = new Strategies(addresses, nodePorts, new StoredLedger(() -> self[0], store, clock));
        this.webhookClient = new WebhookClient(() -> self[0], webhookFaults, config.world());
        AdmissionMetrics admissions = new AdmissionMetrics();
        WebhookAdmission webhooks = new WebhookAdmission(() -> self[0], authorizer, webhookClient, admissions);
        MutatingPolicies mutating = new MutatingPolicies(() -> self[0], authorizer);
        ValidatingPolicies validating = new ValidatingPolicies(() -> self[0], authorizer);
        OwnSignatures signatures = new OwnSignatures(credentials.tokenKeys());
        LegacyTokenUses uses = new LegacyTokenUses(clock, new SecretNotes(() -> self[0], clock));
        LegacyTokens legacyTokens = new LegacyTokens(signatures, this::find, uses);
        NodeRestriction nodeRestriction = new NodeRestriction(nodes, authorizer);
        TopologyLabels topologyLabels = new TopologyLabels(() -> self[0].store("", "nodes"));
        Initializers initializers = new Initializers(() -> self[0], authorizer);
        Admission admission = Admission.chain(List.of(
                new NamespaceLifecycle(() -> self[0].store("", "namespaces")),
                new PodPresets(() -> self[0], clock, config.lot()),
                new PodAdmission(() -> self[0].store("", "serviceaccounts"), config.lot()),
                nodeRestriction,
                new NewNodes(),
                new PriorityAdmission(() -> self[0].store("scheduling.k8s.io", "priorityclasses")),
                new RuntimeClassAdmission(() -> self[0].store("node.k8s.io", "runtimeclasses")),
                new LimitRanger(() -> self[0].store("", "limitranges")),
                new StorageAdmission(() -> self[0].store("storage.k8s.io", "storageclasses")),
                new IngressAdmission(() -> self[0].store("networking.k8s.io", "ingressclasses")),
                topologyLabels,
                new EscalationCheck(roles),
                new ParamReaders(() -> self[0], authorizer),
                new EndpointAdmission(),
                new TokenSecrets(() -> self[0].store("", "serviceaccounts"), legacyTokens, credentials.authority()),
                new SigningRequests(authorizer),
                new PodSecurity(() -> self[0]),
                new DefinitionForm(),
                mutating,
                validating,
                webhooks,
                initializers,
                new QuotaAdmission(() -> self[0].store("", "resourcequotas"), clock)));
        Strategy definitionStrategy = new DefinitionStrategy(clock);
        MeasuredStore measured = new MeasuredStore(store, StorageLayout::resource);
        this.registry = new Registry(
                ResourceTypes.builtIn(),
                measured,
                resource -> switch (resource.resource()) {
                    case "customresourcedefinitions" -> definitionStrategy;
                    case "certificatesigningrequests" -> new SigningRequestStrategy(clock);
                    case "apiservices" -> new ApiServiceStrategy(clock);
                    default -> strategies.of(resource);
                },
                new TimedAdmission(admission, admissions),
                clock,
                config.lot());
        self[0] = registry;
        this.definitions = new Definitions(registry, clock, webhookClient);
        definitions.expect();
        registry.open();
        roles.follow(registry);
        nodes.follow(registry);
        mutating.follow();
        validating.follow();
        webhooks.follow();
        initializers.follow();
        Reservations.restore(registry, addresses, nodePorts);
        this.tokens = new ServiceAccountTokens(signatures, this::find, clock);
        List<BearerTokens> kinds =
                new ArrayList<>(List.of(tokens, legacyTokens, new BootstrapTokens(this::find, clock)));
        kinds.addAll(credentials.others());
        this.allTokens = new AllTokens(kinds);
        this.health = new Health(clock);
        this.api = new Api(
                registry,
                authorizer,
                tokens,
                allTokens,
                clock,
                health,
                Admission.chain(List.of(nodeRestriction, topologyLabels, mutating, validating, webhooks)));
        this.aggregation = new Aggregation(registry, clock);
        aggregation.follow();
        this.policyStatus = new PolicyStatus(registry, clock);
        policyStatus.follow();
        this.eventExpiry = new EventExpiry(registry.store("", "events"), clock);
        FlowControl flows = new FlowControl(config.limits());
        flows.follow(registry);
        RequestMetrics requests = new RequestMetrics();
        this.reception = new Reception(registry, flows, requests);
        for (MetricSource source :
                List.of(requests, admissions, flows, measured, uses, this::countObjects, new ProcessMetrics())) {
            metrics.add(source);
        }
    }

    /**
     * Begins what need not be done before the first requests are answered, such as to look after definitions: whoever asks for what they
     * define before that waits until they are read. A server that listens lets its first visitor ask whether it is ready; if nobody comes,
     * it begins soon by itself.
     */
    public void start() {
        postStart.add(health.hook("start-apiextensions-controllers", definitions::follow));
        if (http == null) {
            postStart.run();
        } else {
            latest = clock.schedule(VISITORS_FIRST, postStart::run);
        }
    }

    /** What else begins then. */
    public PostStartHooks postStart() {
        return postStart;
    }

    private void countObjects(Exposition page) {
        page.gauge(
                "apiserver_storage_objects",
                "[DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of"
                        + " last check split by kind.");
        kept((type, objects) ->
                page.sample(objects, "resource", type.groupResource().toString()));
        page.gauge("apiserver_resource_objects", "Number of stored objects at the time of last check split by kind.");
        kept((type, objects) -> page.sample(objects, "group", type.group(), "resource", type.plural()));
    }

    private void kept(ObjLongConsumer<ResourceType> found) {
        for (ResourceType type : registry.types().all()) {
            if (type.storedAsServed()) {
                registry.store(type)
                        .ifPresent(stored ->
                                found.accept(type, stored.cache().stock().objects()));
            }
        }
    }

    private JsonNode find(String resource, String namespace, String name) {
        CachedObject found = registry.store("", resource).find(namespace, name);
        return found == null ? null : Json.decodeObject(found.json());
    }

    /**
     * Opens the HTTPS door.
     *
     * @param authenticator knows who a connection is of; tokens are asked for where it does not
     */
    public void listen(
            InetSocketAddress address,
            String advertised,
            Supplier<SslContext> tls,
            Authenticator authenticator,
            NodeGateway nodes)
            throws IOException {
        Authenticator all = new TokenAuthenticator(authenticator, allTokens);
        http = new HttpServer(address, tls, all, new StartWatch(handler(advertised, nodes), health, postStart), clock);
    }

    /** Opens the HTTPS door of a node of this process, which knows the same people. */
    public HttpServer listenFor(
            String node,
            InetSocketAddress address,
            Supplier<SslContext> tls,
            Authenticator authenticator,
            NodeGateway nodes)
            throws IOException {
        Authenticator all = new TokenAuthenticator(authenticator, allTokens);
        return new HttpServer(address, tls, all, new NodeEndpoint(registry, authorizer, node, rest("", nodes)), clock);
    }

    private RestHandler rest(String advertised, NodeGateway nodes) {
        Pages pages = new Pages(
                registry::types, aggregation, advertised, health, new IssuerPages(tokens, advertised), metrics);
        return new RestHandler(api, aggregation, pages, new PodConnections(api, nodes), reception);
    }

    /** What answers HTTP requests, whoever brings them. */
    public HttpHandler handler(String advertised, NodeGateway nodes) {
        HttpHandler all = new Impersonation(api, rest(advertised, nodes));
        return api.audit()
                .<HttpHandler>map(audit -> new AuditedHandler(audit, allTokens, all))
                .orElse(all);
    }

    /** Who writes down requests; must be said before the doors are opened. */
    public void auditedBy(Audit audit) {
        api.auditedBy(audit);
        metrics.add(audit);
    }

    public InetSocketAddress address() {
        return http.address();
    }

    /** What this process tells of itself; other parts of it add their own. */
    public Metrics metrics() {
        return metrics;
    }

    public Health health() {
        return health;
    }

    /** Who may do what, as roles and bindings say. */
    public RbacAuthorizer authorizer() {
        return roles;
    }

    /** Who may do what, all told: nodes by what they run, everybody by roles. */
    public Authorizer access() {
        return authorizer;
    }

    public Registry registry() {
        return registry;
    }

    /** Who is asked what nodes and pods use; nobody until this is called. */
    public void measuredBy(UsageSource source) {
        api.measuredBy(source);
    }

    /** Where a test says which webhooks are to fail. */
    public WebhookFaults webhookFaults() {
        return webhookFaults;
    }

    /** The versions of the API that other servers answer for. */
    public Aggregation aggregation() {
        return aggregation;
    }

    /** The door for the cluster's own parts, which need no network to reach us. */
    public LocalApi local(User user) {
        return new LocalApi(api, aggregation, user);
    }

    @Override
    public void close() {
        health.closing();
        if (http != null) {
            http.close();
        }
        if (latest != null) {
            latest.cancel();
        }
        postStart.close();
        eventExpiry.close();
        aggregation.close();
        policyStatus.close();
        definitions.close();
        webhookClient.close();
        registry.close();
    }
}
