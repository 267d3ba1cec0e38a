package io.argosy.controllers.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SignerRulesTest {
    private static String problem(
            String signer, String name, String organizations, String usages, boolean hosts, boolean others) {
        return SignerRules.problem(new Wish(
                        signer,
                        "",
                        name,
                        organizations.isEmpty() ? List.of() : List.of(organizations.split("\\+")),
                        Set.of(usages.split("\\+")),
                        hosts,
                        others))
                .orElse("");
    }

    @ParameterizedTest
    @CsvSource({
        "kube-apiserver-client, jane, dev, client auth, false, false, ''",
        "kube-apiserver-client, jane, '', client auth+digital signature+key encipherment, true, true, ''",
        "kube-apiserver-client, jane, dev, server auth, false, false, usages did not match",
        "kube-apiserver-client, jane, dev, client auth+server auth, false, false, usages did not match",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes, client auth+digital signature, false, false, ''",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes, digital signature, false, false, usages did not match",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes+dev, client auth, false, false, subject organization is not system:nodes",
        "kube-apiserver-client-kubelet, jane, system:nodes, client auth, false, false, subject common name does not begin with system:node:",
        "kube-apiserver-client-kubelet, system:node:, system:nodes, client auth, false, false, subject common name does not begin",
        "kube-apiserver-client-kubelet, system:node:n1, system:nodes, client auth, true, false, subject alternative names are not allowed",
        "kubelet-serving, system:node:n1, system:nodes, server auth+digital signature, true, false, ''",
        "kubelet-serving, system:node:n1, system:nodes, server auth, false, false, DNS or IP subjectAltName is required",
        "kubelet-serving, system:node:n1, system:nodes, server auth, true, true, email and URI subjectAltNames are not allowed",
        "kubelet-serving, system:node:n1, system:nodes, client auth, true, false, usages did not match",
        "legacy-unknown, anybody, '', code signing, true, true, ''",
    })
    void eachSignerSignsWhatItIsFor(
            String signer,
            String name,
            String organizations,
            String usages,
            boolean hosts,
            boolean others,
            String expected) {
        String said = problem("kubernetes.io/" + signer, name, organizations, usages, hosts, others);
        if (expected.isEmpty()) {
            assertThat(said).isEmpty();
        } else {
            assertThat(said).startsWith(expected);
        }
    }

    @Test
    void theRestIsForOthersToSign() {
        assertThat(SignerRules.isOurs("kubernetes.io/legacy-unknown")).isTrue();
        assertThat(SignerRules.isOurs("example.com/mine")).isFalse();
    }
}
