package io.argosy.cluster;

import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.pki.Pki;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates of a running cluster: those of the server and the administrator are renewed long before they lapse, those of further users are
 * made when somebody asks. New connections get the new one; those that are open go on,
 * and who still has the old kubeconfig is known for the rest of its certificate's life.
 */
public final class Certificates implements Supplier<SslContext>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
    private static final Duration PERIOD = Duration.ofDays(1);

    private final Home home;
    private final Pki pki;
    private final List<X509Certificate> proxies;
    private final Supplier<ApiTransport> administrator;
    private final Clock clock;
    private volatile SslContext tls;
    private int port;
    private Clock.Timer timer;

    /** @param proxies authorities of those who may say on whose behalf a request comes */
    Certificates(Home home, Pki pki, List<X509Certificate> proxies, Supplier<ApiTransport> administrator, Clock clock) {
        this.home = home;
        this.pki = pki;
        this.proxies = proxies;
        this.tls = pki.serverTls(clock, proxies);
        this.administrator = administrator;
        this.clock = clock;
    }

    /** TLS as new connections speak it. */
    @Override
    public SslContext get() {
        return tls;
    }

    /** Looks after them from now on; the server is at that port. */
    synchronized void start(int at) throws IOException {
        port = at;
        Kubeconfig.write(home, pki, port);
        timer = clock.every(PERIOD, this::look);
    }

    private synchronized void look() {
        try {
            renewed(pki.renewDue(clock.now()));
        } catch (RuntimeException failed) {
            LOG.error("Certificates could not be renewed, which is tried again in a day: {}", failed.getMessage());
        }
    }

    /** Makes those of server and administrator anew; what was renewed. Nobody's connection ends. */
    public synchronized List<String> renewAll() {
        List<String> names = pki.renewAll(clock.now());
        renewed(names);
        return names;
    }

    private void renewed(List<String> names) {
        if (names.isEmpty()) {
            return;
        }
        try {
            tls = pki.serverTls(clock, proxies);
            Kubeconfig.write(home, pki, port);
            LOG.info("Renewed the certificates of {}", String.join(" and ", names));
        } catch (IOException e) {
            throw new HomeException("The kubeconfig cannot be written: " + e.getMessage() + ".", e);
        }
    }

    /**
     * Has somebody's request for a certificate approved and signed, through the API.
     *
     * @return the certificate, as PEM
     */
    public String certify(String user, String request, Duration life) {
        return new UserCertificate(administrator.get(), clock).issue(user, request, life);
    }

    /** The kubeconfig of somebody with a certificate of this cluster's. */
    public synchronized String kubeconfig(String user, String certificate, String key) {
        return Kubeconfig.text(Kubeconfig.local(port), pki.authorityPem(), user, certificate, key);
    }

    @Override
    public synchronized void close() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
