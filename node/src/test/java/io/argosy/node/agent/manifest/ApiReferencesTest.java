package io.argosy.node.agent.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.json.Yaml;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiReferencesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        containers: [{name: c, env: [{name: A, value: b}]}]                              | ''
        volumes: [{name: v, hostPath: {path: /}}, {name: w, emptyDir: {}}]               | ''
        volumes: [{name: v, projected: {sources: [{downwardAPI: {}}]}}]                  | ''
        serviceAccountName: default                                                      | serviceaccounts
        imagePullSecrets: [{name: s}]                                                    | secrets
        containers: [{name: c, envFrom: [{secretRef: {name: s}}]}]                       | secrets
        initContainers: [{name: c, env: [{name: A, valueFrom: {secretKeyRef: {}}}]}]     | secrets
        volumes: [{name: v, secret: {secretName: s}}]                                    | secrets
        volumes: [{name: v, projected: {sources: [{secret: {name: s}}]}}]                | secrets
        volumes: [{name: v, iscsi: {secretRef: {name: s}}}]                              | secrets
        containers: [{name: c, envFrom: [{configMapRef: {name: s}}]}]                    | configmaps
        volumes: [{name: v, projected: {sources: [{configMap: {name: s}}]}}]             | configmaps
        resourceClaims: [{name: r}]                                                      | resourceclaims
        volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]                      | persistentvolumeclaims
        volumes: [{name: v, ephemeral: {}}]                                              | persistentvolumeclaims (via ephemeral volumes)
        volumes: [{name: v, csi: {driver: d}}]                                           | csidrivers (via CSI volumes)
        volumes: [{name: v, projected: {sources: [{serviceAccountToken: {}}]}}]          | serviceaccounts (via projected volumes)
        volumes: [{name: v, projected: {sources: [{clusterTrustBundle: {}}]}}]           | clustertrustbundles
        volumes: [{name: v, projected: {sources: [{podCertificate: {}}]}}]               | podcertificates
        """)
    void whatAPodNeedsOfTheServerIsTold(String spec, String resource) throws IOException {
        assertThat(ApiReferences.in(Yaml.decode(("{" + spec + "}").getBytes(StandardCharsets.UTF_8)))
                        .orElse(""))
                .isEqualTo(resource);
    }
}
