package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Where the certificates of a cluster come from: secrets that the user keeps. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TlsPolicy(@JsonProperty("static") Static fixed) {
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

    public boolean coversPeers() {
        return peerSecret() != null;
    }

    public boolean coversClients() {
        return serverSecret() != null;
    }

    public String peerSecret() {
        return fixed == null || fixed.member == null ? null : fixed.member.peerSecret;
    }

    public String serverSecret() {
        return fixed == null || fixed.member == null ? null : fixed.member.serverSecret;
    }

    public String operatorSecret() {
        return fixed == null ? null : fixed.operatorSecret;
    }
}
