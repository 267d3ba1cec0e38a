package io.argosy.server;

import io.argosy.api.names.Lot;
import io.argosy.api.time.Clock;
import io.argosy.server.aggregation.FrontProxy;
import io.argosy.server.audit.Audit;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.CertificateAuthenticator;
import io.argosy.server.authn.Credentials;
import io.argosy.server.authn.FrontProxies;
import io.argosy.server.authn.KeyRing;
import io.argosy.server.authz.BootstrapPolicy;
import io.argosy.server.flow.FlowControl;
import io.argosy.server.http.HttpServer;
import io.argosy.server.stream.NodeGateway;
import io.argosy.store.Store;
import io.argosy.store.sqlite.SqliteStore;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real API server over HTTPS on a store in a temporary folder, one for each test class; and clients that talk to it. */
public final class TestServer implements BeforeAllCallback, AfterAllCallback {
    public static final String ADMIN = "CN=admin,O=system:masters";

    private final AtomicInteger namespaces = new AtomicInteger();
    private final Map<String, SSLContext> identities = new HashMap<>();
    private Clock clock = Clock.system();
    private final Function<Path, Store> stores;
    private Clock world = Clock.system();
    private BooleanSupplier readiness;
    private FlowControl.Limits limits = FlowControl.Limits.DEFAULT;
    private TestCertificates certificates;
    private Function<Path, Audit> audits;
    private Audit audit;
    private SslContext tls;
    private volatile KeyRing tokenKeys;
    private List<BearerTokens> others = List.of();
    private Path folder;
    private Store store;
    private ApiServer server;
    private NodeGateway nowhere;
    private TestClient admin;

    public TestServer() {
        this(SqliteStore::open);
    }

    /** On another store than the embedded one; the folder is for the test's own use. */
    public TestServer(Function<Path, Store> stores) {
        this.stores = stores;
    }

    /** The server's own, for tests of what is good only for a time. */
    public Clock clock() {
        return clock;
    }

    /** With room for that much at once. */
    public TestServer limited(FlowControl.Limits to) {
        limits = to;
        return this;
    }

    /** Which listens before it starts, as a cluster's does, and is ready when that is so. */
    public TestServer listeningFirst(Clock by, BooleanSupplier ready) {
        clock = by;
        readiness = ready;
        return this;
    }

    /** Which gives webhooks up by that clock. */
    public TestServer inWorld(Clock of) {
        world = of;
        return this;
    }

    /** Which believes these tokens too, from its next start on. */
    public void believing(List<BearerTokens> tokens) {
        others = tokens;
    }

    /** With requests written down as said, in the test's folder. */
    public TestServer audited(Function<Path, Audit> by) {
        audits = by;
        return this;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        folder = Files.createTempDirectory("argosy-api-test");
        certificates = new TestCertificates();
        identities.clear(); // of an authority that is no more, where a test runs again
        tls = certificates.serverTls();
        tokenKeys = KeyRing.of(TestCertificates.tokenKey());
        open();
        if (admin.get("/api/v1/namespaces/default").status() == 404) {
            admin.create("/api/v1/namespaces", "{\"metadata\":{\"name\":\"default\"}}");
            admin.create("/api/v1/namespaces/default/serviceaccounts", "{\"metadata\":{\"name\":\"default\"}}");
        }
    }

    private void open() throws Exception {
        store = stores.apply(folder);
        server = new ApiServer(
                new ApiServer.Config("10.96.0.0/24", 30000, 30100, Lot.random(), limits, world),
                store,
                new Credentials(() -> tokenKeys, () -> "", others),
                clock);
        if (audits != null) {
            audit = audits.apply(folder);
            server.auditedBy(audit);
        }
        server.authorizer().expect(BootstrapPolicy.load());
        if (readiness == null) {
            server.start();
        } else {
            server.health().check("test", readiness);
        }
        nowhere = (NodeGateway) Proxy.newProxyInstance(
                NodeGateway.class.getClassLoader(), new Class<?>[] {NodeGateway.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("logs")) {
                        ((OutputStream) arguments[2]).write("first\nsecond\n".getBytes(StandardCharsets.UTF_8));
                        return null;
                    }
                    if (method.getName().equals("page")) {
                        return page((String) arguments[0], (String) arguments[1], (Map<?, ?>) arguments[2]);
                    }
                    throw new IOException("there are no nodes in this test");
                });
        server.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "127.0.0.1:6443",
                () -> tls,
                new CertificateAuthenticator(clock, FrontProxies.NONE),
                nowhere);
        if (readiness != null) {
            server.start();
        }
        admin = client(ADMIN, Version.HTTP_1_1);
    }

    /** The one page that every node of these tests has. */
    private static Optional<NodeGateway.Page> page(String node, String path, Map<?, ?> parameters) {
        return path.equals("stats/summary")
                ? Optional.of(new NodeGateway.Page("text/plain", (node + parameters).getBytes(StandardCharsets.UTF_8)))
                : Optional.empty();
    }

    /** Stops the server and starts another one on the same store and port's successor. */
    public void restart() throws Exception {
        server.close();
        store.close();
        open();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        server.close();
        if (audit != null) {
            audit.close();
        }
        store.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    public TestClient admin() {
        return admin;
    }

    /** The server itself, who may do everything and name loopback addresses. */
    public TestClient self() {
        try {
            return client("CN=system:apiserver,O=system:masters", Version.HTTP_1_1);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Opens a node's own door, at any free port. */
    public HttpServer nodeDoor(String node) throws IOException {
        return nodeDoor(node, nowhere);
    }

    /** Opens a node's own door, with these pods behind it. */
    public HttpServer nodeDoor(String node, NodeGateway pods) throws IOException {
        return server.listenFor(
                node,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> tls,
                new CertificateAuthenticator(clock, FrontProxies.NONE),
                pods);
    }

    /** A client under the name of the certificate, without one where that is empty. */
    public TestClient client(String subject, Version version) throws Exception {
        return new TestClient(address(), identity(subject), version);
    }

    /** Makes certificates that are not all as they should be. */
    public TestCertificates certificates() {
        return certificates;
    }

    public SSLContext identity(String subject) throws Exception {
        SSLContext known = identities.get(subject);
        if (known == null) {
            known = certificates.clientTls(subject);
            identities.put(subject, known);
        }
        return known;
    }

    /** For a server beside this one, which those believe who trust {@link #authority}. */
    public SSLContext serverIdentity(String... names) throws Exception {
        return certificates.serverIdentity(names);
    }

    /** By which this server is known to others that it passes requests on to. */
    public FrontProxy frontProxy(String subject) throws Exception {
        return certificates.frontProxy(subject);
    }

    /** The tests' own authority as PEM text. */
    public String authority() throws Exception {
        return certificates.authorityPem();
    }

    /** The keys of service account tokens, from now on. */
    public void tokenKeys(KeyRing keys) {
        tokenKeys = keys;
    }

    public KeyRing tokenKeys() {
        return tokenKeys;
    }

    public InetSocketAddress address() {
        return server.address();
    }

    public ApiServer server() {
        return server;
    }

    public Store store() {
        return store;
    }

    /** A new namespace in which pods can be made; its name. */
    public String namespace() {
        String name = "test-" + namespaces.incrementAndGet();
        admin.create("/api/v1/namespaces", "{\"metadata\":{\"name\":\"" + name + "\"}}");
        admin.create("/api/v1/namespaces/" + name + "/serviceaccounts", "{\"metadata\":{\"name\":\"default\"}}");
        return name;
    }
}
