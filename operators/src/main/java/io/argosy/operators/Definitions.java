package io.argosy.operators;

import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** The kinds the operators bring along; each program creates its own at its start. */
enum Definitions {
    CLUSTERS("etcdclusters"),
    BACKUPS("etcdbackups"),
    RESTORES("etcdrestores");

    private static final int PATIENCE_SECONDS = 30;

    private final String plural;

    Definitions(String plural) {
        this.plural = plural;
    }

    String fullName() {
        return plural + "." + Names.GROUP;
    }

    /** Creates the definition or brings it up to date, and returns when objects of the kind can be made. */
    void install(KubernetesClient client) {
        try (InputStream text = Definitions.class.getResourceAsStream("/crds/" + plural + ".yaml")) {
            CustomResourceDefinition definition =
                    client.getKubernetesSerialization().unmarshal(text, CustomResourceDefinition.class);
            client.resource(definition).forceConflicts().serverSideApply();
            client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(definition.getMetadata().getName())
                    .waitUntilCondition(Definitions::isEstablished, PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isEstablished(CustomResourceDefinition definition) {
        return definition != null
                && definition.getStatus() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Established")
                                && condition.getStatus().equals("True"));
    }
}
