package io.argosy.scheduler.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.ArrayList;
import java.util.List;

/** Writes a plan for volumes: whom a volume is for, and at which node a claim's volume is to be made. */
public final class VolumeWriter {
    private final Resources<PersistentVolume> volumes;
    private final Resources<PersistentVolumeClaim> claims;

    public VolumeWriter(Client client) {
        volumes = client.resources(PersistentVolume.class);
        claims = client.resources(PersistentVolumeClaim.class);
    }

    /** The plan with its objects as they are now; who changed one of them meanwhile makes this a conflict. */
    public VolumePlan write(VolumePlan plan) {
        List<VolumePlan.Binding> bindings = new ArrayList<>();
        for (VolumePlan.Binding binding : plan.bindings()) {
            bindings.add(new VolumePlan.Binding(claimed(binding), binding.claim()));
        }
        List<PersistentVolumeClaim> provisions = new ArrayList<>();
        for (PersistentVolumeClaim claim : plan.provisions()) {
            provisions.add(Claims.selectedNode(claim).equals(plan.node()) ? claim : selected(claim, plan.node()));
        }
        return new VolumePlan(plan.node(), bindings, provisions);
    }

    private PersistentVolume claimed(VolumePlan.Binding binding) {
        PersistentVolumeClaim claim = binding.claim();
        PersistentVolumeBuilder builder = new PersistentVolumeBuilder(binding.volume());
        if (!Claims.isFor(binding.volume(), claim)) {
            builder.editMetadata()
                    .addToAnnotations(Claims.BOUND_BY_CONTROLLER, "yes")
                    .endMetadata();
        }
        return volumes.update(builder.editSpec()
                .withClaimRef(new ObjectReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("PersistentVolumeClaim")
                        .withNamespace(claim.getMetadata().getNamespace())
                        .withName(claim.getMetadata().getName())
                        .withUid(claim.getMetadata().getUid())
                        .withResourceVersion(claim.getMetadata().getResourceVersion())
                        .build())
                .endSpec()
                .build());
    }

    private PersistentVolumeClaim selected(PersistentVolumeClaim claim, String node) {
        ObjectNode patch = Json.object();
        ObjectNode metadata = patch.putObject("metadata")
                .put("uid", claim.getMetadata().getUid())
                .put("resourceVersion", claim.getMetadata().getResourceVersion());
        metadata.putObject("annotations").put(Claims.SELECTED_NODE, node);
        return claims.patch(
                claim.getMetadata().getNamespace(), claim.getMetadata().getName(), Resources.PatchType.MERGE, patch);
    }
}
