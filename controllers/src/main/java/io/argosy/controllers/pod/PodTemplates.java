package io.argosy.controllers.pod;

import io.argosy.client.Owners;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes pods out of templates, as their controller's children. */
public final class PodTemplates {
    private static final int MAX_NAME = 253;

    private PodTemplates() {}

    /** A pod not yet created; it shares the template's spec, which nobody may change. */
    public static Pod instantiate(PodTemplateSpec template, HasMetadata controller) {
        ObjectMeta from = template.getMetadata() == null ? new ObjectMeta() : template.getMetadata();
        ObjectMeta metadata = new ObjectMeta();
        metadata.setNamespace(controller.getMetadata().getNamespace());
        metadata.setGenerateName(prefix(controller.getMetadata().getName()));
        metadata.setLabels(copy(from.getLabels()));
        metadata.setAnnotations(copy(from.getAnnotations()));
        metadata.setFinalizers(new ArrayList<>(from.getFinalizers()));
        metadata.setOwnerReferences(List.of(Owners.controlledBy(controller)));
        Pod pod = new Pod();
        pod.setMetadata(metadata);
        pod.setSpec(template.getSpec());
        return pod;
    }

    /** The name and a dash, unless that would leave no room. */
    public static String prefix(String controllerName) {
        return controllerName.length() < MAX_NAME ? controllerName + "-" : controllerName;
    }

    private static Map<String, String> copy(Map<String, String> map) {
        return map == null ? new HashMap<>() : new HashMap<>(map);
    }
}
