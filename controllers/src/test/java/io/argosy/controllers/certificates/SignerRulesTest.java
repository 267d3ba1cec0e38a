package io.argosy.controllers.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SignerRulesTest {
    @ParameterizedTest
    @CsvSource({
        "kube-apiserver-client, jane, dev, client auth, '', ''",
        "kube-apiserver-client, jane, '', client auth+digital signature+key encipherment, DNS+Email, ''",
        "kube-apiserver-client, jane, dev, server auth, '', invalid usage for client certificate: server auth",
        "kube-apiserver-client, jane, dev, client auth+server auth, '', invalid usage for client certificate: server"
                + " auth",
        "kube-apiserver-client, jane, dev, digital signature, '', missing required usage for client certificate:"
                + " client auth",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes, client auth+digital signature, '', ''",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes, client auth, '', usages did not match [client"
                + " auth digital signature key encipherment]",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes+dev, client auth, '', subject organization is not"
                + " system:nodes",
        "kube-apiserver-client-kubelet, jane, system:nodes, client auth, '', subject common name does not begin with"
                + " system:node:",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes, client auth, IP, IP subjectAltNames are not"
                + " allowed",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes, client auth, URI+DNS, DNS subjectAltNames are"
                + " not allowed",
        "kubelet-serving, system:node:n1, system:nodes, server auth+digital signature, DNS, ''",
        "kubelet-serving, system:node:n1, system:nodes, server auth+digital signature+key encipherment, IP, ''",
        "kubelet-serving, system:node:n1, system:nodes, server auth, '', DNS or IP subjectAltName is required",
        "kubelet-serving, system:node:n1, system:nodes, server auth, IP+Email, Email subjectAltNames are not allowed",
        "kubelet-serving, system:node:n1, system:nodes, client auth, DNS, usages did not match [digital signature key"
                + " encipherment server auth]",
        "legacy-unknown, anybody, '', code signing, DNS+URI, ''",
    })
    void eachSignerSignsWhatItIsFor(
            String signer, String name, String organizations, String usages, String alternatives, String expected) {
        Wish wish = new Wish(
                "kubernetes.io/" + signer,
                "",
                name,
                parts(organizations),
                parts(usages),
                Set.copyOf(parts(alternatives)));
        assertThat(SignerRules.problem(wish).orElse("")).isEqualTo(expected);
    }

    private static List<String> parts(String joined) {
        return joined.isEmpty() ? List.of() : List.of(joined.split("\\+"));
    }

    @Test
    void theRestIsForOthersToSign() {
        assertThat(SignerRules.isOurs("kubernetes.io/legacy-unknown")).isTrue();
        assertThat(SignerRules.isOurs("example.com/mine")).isFalse();
    }
}
