package io.argosy.server.authn;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Client certificates: the common name is the user, the organizations are the groups; but who shows that of a proxy is whom its headers name. TLS
 * has verified the chain when the connection began; a connection that outlives its certificate is nobody's.
 */
public final class CertificateAuthenticator implements Authenticator {
    private static final AttributeKey<Known> KNOWN = AttributeKey.valueOf("argosy.user");

    private final Clock clock;
    private final FrontProxies proxies;

    /** What a connection shows. */
    private enum Kind {
        NOTHING,
        USER,
        PROXY,
        UNKNOWN_PROXY
    }

    /** Who a connection is of, and until when. */
    private record Known(Kind kind, User user, Instant until) {}

    public CertificateAuthenticator(Clock clock, FrontProxies proxies) {
        this.clock = clock;
        this.proxies = proxies;
    }

    @Override
    public User authenticate(Channel connection, HttpHeaders headers) {
        Known known = connection.attr(KNOWN).get();
        if (known == null) {
            known = ofConnection(connection);
            connection.attr(KNOWN).set(known);
        }
        if (known.kind != Kind.NOTHING && clock.now().isAfter(known.until)) {
            throw new ApiException(Reason.Unauthorized, "Unauthorized");
        }
        return switch (known.kind) {
            case NOTHING, USER -> known.user;
            case PROXY -> FrontProxies.user(headers).orElseGet(() -> nobodyYet(headers));
            case UNKNOWN_PROXY -> nobodyYet(headers);
        };
    }

    /** A proxy is no user itself, but may pass on a token. */
    private static User nobodyYet(HttpHeaders headers) {
        if (headers.contains(HttpHeaderNames.AUTHORIZATION)) {
            return User.ANONYMOUS;
        }
        throw new ApiException(Reason.Unauthorized, "Unauthorized");
    }

    private Known ofConnection(Channel connection) {
        SslHandler tls = connection.pipeline().get(SslHandler.class);
        if (tls == null) {
            return new Known(Kind.NOTHING, User.ANONYMOUS, Instant.MAX);
        }
        try {
            Certificate[] shown = tls.engine().getSession().getPeerCertificates();
            X509Certificate[] chain = Arrays.copyOf(shown, shown.length, X509Certificate[].class);
            User user = ofSubject(chain[0].getSubjectX500Principal().getName());
            return new Known(kind(chain, user), user, chain[0].getNotAfter().toInstant());
        } catch (SSLPeerUnverifiedException noCertificate) {
            return new Known(Kind.NOTHING, User.ANONYMOUS, Instant.MAX);
        }
    }

    private Kind kind(X509Certificate[] chain, User user) {
        if (!proxies.vouched().test(chain)) {
            return Kind.USER;
        }
        return proxies.believes(user.name()) ? Kind.PROXY : Kind.UNKNOWN_PROXY;
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
