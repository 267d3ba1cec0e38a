package io.argosy.server.authn;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Client certificates: the common name is the user, the organizations are the groups. TLS has already verified the chain. */
public final class CertificateAuthenticator implements Authenticator {
    private static final AttributeKey<User> KNOWN = AttributeKey.valueOf("argosy.user");

    @Override
    public User authenticate(Channel connection, HttpHeaders headers) {
        User known = connection.attr(KNOWN).get();
        if (known == null) {
            known = ofConnection(connection);
            connection.attr(KNOWN).set(known);
        }
        return known;
    }

    private static User ofConnection(Channel connection) {
        SslHandler tls = connection.pipeline().get(SslHandler.class);
        if (tls == null) {
            return User.ANONYMOUS;
        }
        try {
            Certificate[] chain = tls.engine().getSession().getPeerCertificates();
            return ofSubject(
                    ((X509Certificate) chain[0]).getSubjectX500Principal().getName());
        } catch (SSLPeerUnverifiedException noCertificate) {
            return User.ANONYMOUS;
        }
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
