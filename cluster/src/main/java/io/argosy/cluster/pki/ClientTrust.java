package io.argosy.cluster.pki;

import io.argosy.api.time.Clock;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Believes client certificates of our authorities, as long as they are valid by our clock and meant for clients. */
final class ClientTrust extends X509ExtendedTrustManager {
    private static final String CLIENTS = "1.3.6.1.5.5.7.3.2";
    private static final String ANY = "2.5.29.37.0";
    private static final int DIGITAL_SIGNATURE = 0;

    private final List<X509Certificate> authorities;
    private final Clock clock;

    ClientTrust(List<X509Certificate> authorities, Clock clock) {
        this.authorities = List.copyOf(authorities);
        this.clock = clock;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        CertificatePath.check(chain, authorities, clock.now());
        List<String> purposes = chain[0].getExtendedKeyUsage();
        boolean[] usages = chain[0].getKeyUsage();
        if (purposes != null && !purposes.contains(CLIENTS) && !purposes.contains(ANY)) {
            throw new CertificateException("the certificate is not meant for clients");
        }
        if (usages != null && !usages[DIGITAL_SIGNATURE]) {
            throw new CertificateException("the certificate is not meant for signatures");
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        checkClientTrusted(chain, authType);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw new CertificateException("this is the server");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities.toArray(X509Certificate[]::new);
    }
}
