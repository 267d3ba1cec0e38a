package io.argosy.controllers.pod;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.event.EventRecorder;
import io.argosy.controllers.meta.Refusals;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;

/** Creates and deletes pods for a controller, and tells about it in events on the controller. */
public final class PodHand {
    private final Resources<Pod> pods;
    private final EventRecorder events;

    public PodHand(Client client, EventRecorder events) {
        this.pods = client.resources(Pod.class);
        this.events = events;
    }

    public void create(PodTemplateSpec template, HasMetadata controller) {
        create(PodTemplates.instantiate(template, controller), controller);
    }

    /** In a namespace that is going away nothing is created and nothing is said. */
    public void create(Pod pod, HasMetadata controller) {
        try {
            String name = pods.createOnly(pod);
            events.event(controller, EventRecorder.Type.Normal, "SuccessfulCreate", "Created pod: " + name);
        } catch (RuntimeException e) {
            if (!Refusals.isNamespaceTerminating(e)) {
                events.event(
                        controller, EventRecorder.Type.Warning, "FailedCreate", "Error creating: " + e.getMessage());
                throw e;
            }
        }
    }

    /** A pod that is already gone is as good as deleted. */
    public void delete(Pod pod, HasMetadata controller) {
        String name = pod.getMetadata().getName();
        try {
            pods.delete(
                    pod.getMetadata().getNamespace(),
                    name,
                    DeleteOptions.DEFAULT.ifUid(pod.getMetadata().getUid()));
            events.event(controller, EventRecorder.Type.Normal, "SuccessfulDelete", "Deleted pod: " + name);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                tellOfFailedDeletion(controller, e);
                throw new ApiException(e.reason(), e.code(), "unable to delete pods: " + e.getMessage(), e.details());
            }
        } catch (RuntimeException e) {
            tellOfFailedDeletion(controller, e);
            throw e;
        }
    }

    private void tellOfFailedDeletion(HasMetadata controller, RuntimeException why) {
        events.event(controller, EventRecorder.Type.Warning, "FailedDelete", "Error deleting: " + why.getMessage());
    }
}
