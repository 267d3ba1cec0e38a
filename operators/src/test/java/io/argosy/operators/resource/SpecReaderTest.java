package io.argosy.operators.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects that nobody can read are read, and say why. */
class SpecReaderTest {
    private final KubernetesSerialization serialization = new KubernetesSerialization();

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            EtcdCluster | {size: 3000000000}                                   | size
            EtcdCluster | {size: 1, pod: {securityContext: {runAsUser: nobody}}} | runAsUser
            EtcdCluster | {size: 1, pod: {tolerations: none}}                  | tolerations
            EtcdBackup  | {backupPolicy: {maxBackups: 3000000000}}             | maxBackups
            EtcdBackup  | {etcdEndpoints: {a: b}}                              | etcdEndpoints
            EtcdRestore | {timeoutInSecond: soon}                              | timeoutInSecond
            EtcdRestore | {etcdCluster: [a]}                                   | etcdCluster
            """)
    void whatCannotBeReadSaysWhere(String kind, String spec, String field) {
        String yaml = "apiVersion: " + Names.GROUP + "/" + Names.VERSION + "\nkind: " + kind
                + "\nmetadata: {name: a}\nspec: " + spec;
        assertThat(unreadable(kind, yaml)).startsWith("spec cannot be read: ").contains(field);
    }

    private String unreadable(String kind, String yaml) {
        return switch (kind) {
            case "EtcdCluster" ->
                copy(serialization.unmarshal(yaml, EtcdCluster.class)).getSpec().unreadable();
            case "EtcdBackup" ->
                copy(serialization.unmarshal(yaml, EtcdBackup.class)).getSpec().unreadable();
            default ->
                copy(serialization.unmarshal(yaml, EtcdRestore.class)).getSpec().unreadable();
        };
    }

    /** As those do who keep objects and hand them out. */
    @SuppressWarnings("unchecked")
    private <T> T copy(T object) {
        return (T) serialization.unmarshal(serialization.asJson(object), object.getClass());
    }

    @Test
    void whatCanBeReadIsAsItWas() {
        EtcdCluster cluster = serialization.unmarshal("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: a}
                spec: {size: 3, version: 3.4.23, pod: {resources: {limits: {cpu: 250m}}, tolerations: [{tolerationSeconds: 5}], new: field}}
                """, EtcdCluster.class);
        assertThat(cluster.getSpec().unreadable()).isNull();
        assertThat(cluster.getSpec().size()).isEqualTo(3);
        assertThat(copy(cluster).getSpec()).isEqualTo(cluster.getSpec());
        assertThat(serialization.asJson(cluster)).doesNotContain("unreadable");
    }
}
