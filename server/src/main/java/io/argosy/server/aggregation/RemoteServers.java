package io.argosy.server.aggregation;

import io.argosy.server.proxy.Lookups;
import io.argosy.server.proxy.ServiceEndpoints;
import io.argosy.server.webhook.CertificateBundle;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Opens connections to other API servers, on which both sides have shown who they are. */
final class RemoteServers {
    private static final String INSECURE = "insecure";
    private static final int MAX_CONTEXTS = 64;
    private static final char[] NO_PASSWORD = {};

    private final ServiceEndpoints endpoints;
    private final Lookups lookups = new Lookups();
    private final Map<String, SSLContext> contexts = new ConcurrentHashMap<>();
    private volatile Supplier<FrontProxy> identity = () -> null;

    RemoteServers(ServiceEndpoints endpoints) {
        this.endpoints = endpoints;
    }

    ServiceEndpoints endpoints() {
        return endpoints;
    }

    /** Which certificate is shown; asked for with the first connection. */
    void identity(Supplier<FrontProxy> known) {
        identity = known;
        contexts.clear();
    }

    /**
     * Connects and shakes hands.
     *
     * @param patience for each step, and for whatever is read later; zero for no limit on reading
     */
    Socket connect(ApiService to, boolean checked, Duration connecting, Duration patience) throws IOException {
        InetSocketAddress address =
                endpoints.find(to.namespace(), to.service(), to.port(), lookups.within(connecting.toMillis()));
        String shown = address.getAddress().getHostAddress() + ":" + address.getPort();
        boolean verified = checked && !to.insecure();
        SSLContext context = context(verified ? to.authority() : INSECURE);
        Socket plain = new Socket();
        try {
            plain.connect(address, (int) connecting.toMillis());
            plain.setTcpNoDelay(true);
            plain.setSoTimeout((int) connecting.toMillis());
            SSLSocket secure =
                    (SSLSocket) context.getSocketFactory().createSocket(plain, to.host(), address.getPort(), true);
            if (verified) {
                SSLParameters parameters = secure.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secure.setSSLParameters(parameters);
            }
            secure.startHandshake();
            secure.setSoTimeout((int) patience.toMillis());
            return secure;
        } catch (ConnectException refused) {
            plain.close();
            throw new IOException("dial tcp " + shown + ": connect: connection refused", refused);
        } catch (SocketTimeoutException late) {
            plain.close();
            throw new IOException("dial tcp " + shown + ": i/o timeout", late);
        } catch (IOException failed) {
            plain.close();
            throw new IOException(said(failed), failed);
        }
    }

    private static String said(IOException failed) {
        for (Throwable at = failed; at != null; at = at.getCause()) {
            if (String.valueOf(at.getMessage()).contains("unable to find valid certification path")) {
                return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
            }
        }
        return "tls: " + failed.getMessage();
    }

    private SSLContext context(String authority) throws IOException {
        SSLContext known = contexts.get(authority);
        if (known != null) {
            return known;
        }
        try {
            SSLContext made = SSLContext.getInstance("TLS");
            made.init(shown(), trusted(authority), null);
            if (contexts.size() >= MAX_CONTEXTS) {
                contexts.clear();
            }
            contexts.put(authority, made);
            return made;
        } catch (CertificateException untrustworthy) {
            throw new IOException(untrustworthy.getMessage(), untrustworthy);
        } catch (GeneralSecurityException unusable) {
            throw new IOException("unable to load root certificates: " + unusable.getMessage(), unusable);
        }
    }

    private KeyManager[] shown() throws GeneralSecurityException, IOException {
        FrontProxy own = identity.get();
        if (own == null) {
            return null;
        }
        KeyStore keys = empty();
        keys.setKeyEntry("own", own.key(), NO_PASSWORD, new X509Certificate[] {own.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, NO_PASSWORD);
        return managers.getKeyManagers();
    }

    /** Null for those whom the Java runtime trusts. */
    private static TrustManager[] trusted(String authority) throws GeneralSecurityException, IOException {
        if (authority.equals(INSECURE)) {
            return InsecureTrustManagerFactory.INSTANCE.getTrustManagers();
        }
        if (authority.isEmpty()) {
            return null;
        }
        KeyStore trusted = empty();
        int number = 0;
        for (X509Certificate one : CertificateBundle.read(authority)) {
            trusted.setCertificateEntry("authority-" + number++, one);
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        return managers.getTrustManagers();
    }

    /** In memory only, where a stretched password would cost a fifth of a second for nothing. */
    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, NO_PASSWORD);
        return store;
    }
}
