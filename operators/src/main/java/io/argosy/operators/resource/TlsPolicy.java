package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Where the certificates of a cluster come from: secrets that the user keeps, or ones that the operator makes and renews.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TlsPolicy(@JsonProperty("static") Static fixed, SelfManaged selfManaged) {
    /**
     * Secrets that the user keeps.
     *
     * @param operatorSecret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Static(MemberSecrets member, String operatorSecret) {}

    /**
     * The secrets that members mount.
     *
     * @param peerSecret with peer.crt, peer.key and peer-ca.crt
     * @param serverSecret with server.crt, server.key and server-ca.crt
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record MemberSecrets(String peerSecret, String serverSecret) {}

    /**
     * How long what the operator issues is good; the definition gives the defaults. Times are written as 2160h or 1h30m.
     *
     * @param overlap how long clients have to learn of a new authority
     * @param extraNames under which clients find the cluster besides its services
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record SelfManaged(
            String certificateValidity,
            String renewBefore,
            String authorityValidity,
            String overlap,
            String clusterDomain,
            List<String> extraNames) {
        private static final String CERTIFICATE_VALIDITY = "2160h";
        private static final String RENEW_BEFORE = "720h";
        private static final String AUTHORITY_VALIDITY = "43800h";
        private static final String OVERLAP = "1h";
        private static final String DOMAIN = "cluster.local";

        public Duration validity() {
            return time(certificateValidity, CERTIFICATE_VALIDITY);
        }

        public Duration lead() {
            return time(renewBefore, RENEW_BEFORE);
        }

        public Duration validityOfAuthority() {
            return time(authorityValidity, AUTHORITY_VALIDITY);
        }

        public Duration overlapping() {
            return time(overlap, OVERLAP);
        }

        public String domain() {
            return clusterDomain == null ? DOMAIN : clusterDomain;
        }

        public List<String> otherNames() {
            return extraNames == null ? List.of() : extraNames;
        }

        private static Duration time(String given, String byDefault) {
            return Duration.parse("PT" + (given == null ? byDefault : given).toUpperCase(Locale.ROOT));
        }
    }

    public boolean coversPeers() {
        return selfManaged != null || (fixed != null && fixed.member != null && fixed.member.peerSecret != null);
    }

    public boolean coversClients() {
        return selfManaged != null || (fixed != null && fixed.member != null && fixed.member.serverSecret != null);
    }

    /** The secret with the authority's keys, which only the operator reads. */
    public static String authoritySecret(String cluster) {
        return cluster + "-authority";
    }

    public String peerSecret(String cluster) {
        return selfManaged != null ? cluster + "-peer-tls" : fixed.member.peerSecret;
    }

    public String serverSecret(String cluster) {
        return selfManaged != null ? cluster + "-server-tls" : fixed.member.serverSecret;
    }

    /** What the operator shows to members, and what clients may show too if the operator made it. */
    public String clientSecret(String cluster) {
        return selfManaged != null ? cluster + "-client-tls" : fixed.operatorSecret;
    }
}
