package io.argosy.controllers.job;

import io.argosy.controllers.pod.PodTemplates;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes a Job's pods: held by a finalizer until counted, named and told by their completion index if they have one. */
final class JobPodTemplate {
    private static final String INDEX_VARIABLE = "JOB_COMPLETION_INDEX";

    private JobPodTemplate() {}

    static Pod instantiate(Job job, JobPlan.Place place) {
        int index = place.index();
        Pod pod = PodTemplates.instantiate(job.getSpec().getTemplate(), job);
        if (!pod.getMetadata().getFinalizers().contains(JobPods.FINALIZER)) {
            pod.getMetadata().getFinalizers().add(JobPods.FINALIZER);
        }
        Map<String, String> labels = pod.getMetadata().getLabels();
        String name = job.getMetadata().getName();
        String uid = job.getMetadata().getUid();
        labels.putIfAbsent("batch.kubernetes.io/controller-uid", uid);
        labels.putIfAbsent("controller-uid", uid);
        labels.putIfAbsent("batch.kubernetes.io/job-name", name);
        labels.putIfAbsent("job-name", name);
        if (IndexFailures.areLimited(job)) {
            Map<String, String> annotations = pod.getMetadata().getAnnotations();
            annotations.put(
                    IndexFailures.FAILED, Integer.toString(place.before().failed()));
            if (place.before().ignored() > 0) {
                annotations.put(
                        IndexFailures.IGNORED, Integer.toString(place.before().ignored()));
            }
        }
        return index == JobPods.NO_INDEX ? pod : indexed(pod, name, index);
    }

    private static Pod indexed(Pod plain, String jobName, int index) {
        String number = Integer.toString(index);
        plain.getMetadata().getLabels().put(JobPods.INDEX, number);
        plain.getMetadata().getAnnotations().put(JobPods.INDEX, number);
        Pod pod = new PodBuilder(plain).build();
        pod.getMetadata().setGenerateName(jobName + "-" + number + "-");
        pod.getSpec().setHostname(jobName + "-" + number);
        pod.getSpec().getInitContainers().forEach(JobPodTemplate::tellIndex);
        pod.getSpec().getContainers().forEach(JobPodTemplate::tellIndex);
        return pod;
    }

    private static void tellIndex(Container container) {
        List<EnvVar> variables = new ArrayList<>(container.getEnv());
        if (variables.stream().noneMatch(variable -> variable.getName().equals(INDEX_VARIABLE))) {
            variables.add(new EnvVarBuilder()
                    .withName(INDEX_VARIABLE)
                    .withNewValueFrom()
                    .withNewFieldRef()
                    .withFieldPath("metadata.labels['" + JobPods.INDEX + "']")
                    .endFieldRef()
                    .endValueFrom()
                    .build());
            container.setEnv(variables);
        }
    }
}
