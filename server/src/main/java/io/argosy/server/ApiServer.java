package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.names.Lot;
import io.argosy.api.time.Clock;
import io.argosy.server.admission.LimitRanger;
import io.argosy.server.admission.NamespaceLifecycle;
import io.argosy.server.admission.PodAdmission;
import io.argosy.server.admission.PriorityAdmission;
import io.argosy.server.admission.QuotaAdmission;
import io.argosy.server.admission.StorageAdmission;
import io.argosy.server.authn.Authenticator;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.SigningKey;
import io.argosy.server.authn.TokenAuthenticator;
import io.argosy.server.authn.User;
import io.argosy.server.authz.EscalationCheck;
import io.argosy.server.authz.RbacAuthorizer;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.certificates.SigningRequestStrategy;
import io.argosy.server.certificates.SigningRequests;
import io.argosy.server.crd.DefinitionForm;
import io.argosy.server.crd.DefinitionStrategy;
import io.argosy.server.crd.Definitions;
import io.argosy.server.discovery.Discovery;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpServer;
import io.argosy.server.kinds.NodePorts;
import io.argosy.server.kinds.ServiceAddresses;
import io.argosy.server.kinds.Strategies;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.EventExpiry;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rest.Api;
import io.argosy.server.rest.Health;
import io.argosy.server.rest.Impersonation;
import io.argosy.server.rest.IssuerPages;
import io.argosy.server.rest.LocalApi;
import io.argosy.server.rest.Pages;
import io.argosy.server.rest.PodConnections;
import io.argosy.server.rest.RestHandler;
import io.argosy.server.stream.NodeGateway;
import io.argosy.server.usage.UsageSource;
import io.argosy.store.Store;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/** The API server: a store behind, HTTPS and an in-process door in front. */
public final class ApiServer implements AutoCloseable {
    private final RbacAuthorizer authorizer = new RbacAuthorizer();
    private final Registry registry;
    private final Definitions definitions;
    private final ServiceAccountTokens tokens;
    private final Api api;
    private final Health health;
    private final EventExpiry eventExpiry;
    private HttpServer http;

    /**
     * What the server is told about the cluster.
     *
     * @param serviceCidr the range service addresses are taken from
     * @param lot decides what is left to chance
     */
    public record Config(String serviceCidr, int firstNodePort, int lastNodePort, Lot lot) {
        public Config(String serviceCidr, int firstNodePort, int lastNodePort) {
            this(serviceCidr, firstNodePort, lastNodePort, Lot.random());
        }
    }

    public ApiServer(Config config, Store store, Supplier<SigningKey> tokenKey, Clock clock) {
        ServiceAddresses addresses = new ServiceAddresses(config.serviceCidr(), config.lot());
        NodePorts nodePorts = new NodePorts(config.firstNodePort(), config.lastNodePort(), config.lot());
        Strategies strategies = new Strategies(addresses, nodePorts);
        Registry[] self = new Registry[1];
        Admission admission = Admission.chain(List.of(
                new NamespaceLifecycle(() -> self[0].store("", "namespaces")),
                new PodAdmission(() -> self[0].store("", "serviceaccounts"), config.lot()),
                new PriorityAdmission(() -> self[0].store("scheduling.k8s.io", "priorityclasses")),
                new LimitRanger(() -> self[0].store("", "limitranges")),
                new StorageAdmission(() -> self[0].store("storage.k8s.io", "storageclasses")),
                new EscalationCheck(authorizer),
                new SigningRequests(authorizer),
                new DefinitionForm(),
                new QuotaAdmission(() -> self[0].store("", "resourcequotas"))));
        Strategy definitionStrategy = new DefinitionStrategy(clock);
        this.registry = new Registry(
                ResourceTypes.builtIn(),
                store,
                resource -> switch (resource.resource()) {
                    case "customresourcedefinitions" -> definitionStrategy;
                    case "certificatesigningrequests" -> new SigningRequestStrategy(clock);
                    default -> strategies.of(resource);
                },
                admission,
                clock,
                config.lot());
        self[0] = registry;
        this.definitions = new Definitions(registry, clock);
        definitions.restore(store);
        registry.open();
        definitions.follow();
        authorizer.follow(registry);
        Reservations.restore(registry, addresses, nodePorts);
        this.tokens = new ServiceAccountTokens(tokenKey, this::find, clock);
        this.api = new Api(registry, authorizer, tokens, clock);
        this.health = new Health();
        this.eventExpiry = new EventExpiry(registry.store("", "events"), clock);
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
        Authenticator all = new TokenAuthenticator(authenticator, tokens);
        http = new HttpServer(address, tls, all, handler(advertised, nodes));
    }

    /** What answers HTTP requests, whoever brings them. */
    public HttpHandler handler(String advertised, NodeGateway nodes) {
        Pages pages = new Pages(
                registry::types,
                types -> new Discovery(types, advertised),
                health,
                new IssuerPages(tokens, advertised));
        RestHandler rest = new RestHandler(api, pages, new PodConnections(api, nodes));
        return new Impersonation(api, rest);
    }

    public InetSocketAddress address() {
        return http.address();
    }

    public Health health() {
        return health;
    }

    /** Who may do what, as roles and bindings say. */
    public RbacAuthorizer authorizer() {
        return authorizer;
    }

    public Registry registry() {
        return registry;
    }

    /** Who is asked what nodes and pods use; nobody until this is called. */
    public void measuredBy(UsageSource source) {
        api.measuredBy(source);
    }

    /** The door for the cluster's own parts, which need no network to reach us. */
    public LocalApi local(User user) {
        return new LocalApi(api, user);
    }

    @Override
    public void close() {
        if (http != null) {
            http.close();
        }
        eventExpiry.close();
        definitions.close();
        registry.close();
    }
}
