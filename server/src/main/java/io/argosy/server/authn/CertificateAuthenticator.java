package io.argosy.server.authn;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Client certificates: the common name is the user, the organizations are the groups. TLS has verified the chain when the connection began;
 * a connection that outlives its certificate is nobody's.
 */
public final class CertificateAuthenticator implements Authenticator {
    private static final AttributeKey<Known> KNOWN = AttributeKey.valueOf("argosy.user");

    private final Clock clock;

    /** Who a connection is of, and until when. */
    private record Known(User user, Instant until) {}

    public CertificateAuthenticator(Clock clock) {
        this.clock = clock;
    }

    @Override
    public User authenticate(Channel connection, HttpHeaders headers) {
        Known known = connection.attr(KNOWN).get();
        if (known == null) {
            known = ofConnection(connection);
            connection.attr(KNOWN).set(known);
        }
        if (!known.until.equals(Instant.MAX) && clock.now().isAfter(known.until)) {
            throw new ApiException(Reason.Unauthorized, "Unauthorized");
        }
        return known.user;
    }

    private static Known ofConnection(Channel connection) {
        SslHandler tls = connection.pipeline().get(SslHandler.class);
        if (tls != null) {
            try {
                Certificate[] chain = tls.engine().getSession().getPeerCertificates();
                X509Certificate own = (X509Certificate) chain[0];
                return new Known(
                        ofSubject(own.getSubjectX500Principal().getName()),
                        own.getNotAfter().toInstant());
            } catch (SSLPeerUnverifiedException noCertificate) {
                return new Known(User.ANONYMOUS, Instant.MAX);
            }
        }
        return new Known(User.ANONYMOUS, Instant.MAX);
    }

    static User ofSubject(String distinguishedName) {
        String name = "";
        List<String> groups = new ArrayList<>();
        try {
            for (Rdn part : new LdapName(distinguishedName).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    name = part.getValue().toString();
                } else if (part.getType().equalsIgnoreCase("O")) {
                    groups.add(part.getValue().toString());
                }
            }
        } catch (InvalidNameException unreadable) {
            return User.ANONYMOUS;
        }
        if (name.isEmpty()) {
            return User.ANONYMOUS;
        }
        groups.add(User.AUTHENTICATED);
        return new User(name, groups);
    }
}
