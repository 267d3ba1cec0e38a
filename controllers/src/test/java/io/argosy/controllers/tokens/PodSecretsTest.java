package io.argosy.controllers.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wherever a pod names a Secret, it is found. */
class PodSecretsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'imagePullSecrets':[{'name':'s'}]",
                "'containers':[{'name':'c','env':[{'name':'A','valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}]}]",
                "'initContainers':[{'name':'c','envFrom':[{'secretRef':{'name':'s'}}]}]",
                "'ephemeralContainers':[{'name':'c','envFrom':[{'secretRef':{'name':'s'}}]}]",
                "'volumes':[{'name':'v','secret':{'secretName':'s'}}]",
                "'volumes':[{'name':'v','projected':{'sources':[{'secret':{'name':'s'}}]}}]",
                "'volumes':[{'name':'v','csi':{'driver':'d','nodePublishSecretRef':{'name':'s'}}}]",
                "'volumes':[{'name':'v','azureFile':{'secretName':'s','shareName':'x'}}]",
                "'volumes':[{'name':'v','cephfs':{'secretRef':{'name':'s'}}}]",
                "'volumes':[{'name':'v','cinder':{'volumeID':'x','secretRef':{'name':'s'}}}]",
                "'volumes':[{'name':'v','flexVolume':{'driver':'d','secretRef':{'name':'s'}}}]",
                "'volumes':[{'name':'v','iscsi':{'lun':1,'secretRef':{'name':'s'}}}]",
                "'volumes':[{'name':'v','rbd':{'image':'x','secretRef':{'name':'s'}}}]",
                "'volumes':[{'name':'v','scaleIO':{'system':'x','secretRef':{'name':'s'}}}]",
                "'volumes':[{'name':'v','storageos':{'secretRef':{'name':'s'}}}]",
            })
    void everyPlaceCounts(String spec) {
        String pod = "{'metadata':{'name':'p'},'spec':{" + spec + "}}";
        assertThat(PodSecrets.of(Models.decode(pod.replace('\'', '"').getBytes(StandardCharsets.UTF_8), Pod.class)))
                .containsExactly("s");
    }
}
