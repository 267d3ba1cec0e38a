package io.argosy.e2e;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms point one way. */
class ArchitectureTest {
    /** Jars of test kits hold tests too. */
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.argosy");

    @Test
    void everyRoomUsesOnlyTheRoomsItMay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("api")
                .definedBy("io.argosy.api..")
                .layer("store")
                .definedBy("io.argosy.store..")
                .layer("server")
                .definedBy("io.argosy.server..")
                .layer("client")
                .definedBy("io.argosy.client..")
                .layer("controllers")
                .definedBy("io.argosy.controllers..")
                .layer("scheduler")
                .definedBy("io.argosy.scheduler..")
                .layer("node")
                .definedBy("io.argosy.node..")
                .layer("network")
                .definedBy("io.argosy.network..")
                .layer("cluster")
                .definedBy("io.argosy.cluster..")
                .layer("junit")
                .definedBy("io.argosy.junit..")
                .layer("cli")
                .definedBy("io.argosy.cli..")
                .layer("operators")
                .definedBy("io.argosy.operators..")
                .whereLayer("operators")
                .mayNotAccessAnyLayer()
                .whereLayer("operators")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("api")
                .mayNotAccessAnyLayer()
                .whereLayer("store")
                .mayNotAccessAnyLayer()
                .whereLayer("server")
                .mayOnlyAccessLayers("api", "store")
                .whereLayer("client")
                .mayOnlyAccessLayers("api")
                .whereLayer("controllers")
                .mayOnlyAccessLayers("api", "client")
                .whereLayer("scheduler")
                .mayOnlyAccessLayers("api", "client")
                .whereLayer("node")
                .mayOnlyAccessLayers("api", "client")
                .whereLayer("network")
                .mayOnlyAccessLayers("api", "client")
                .whereLayer("cluster")
                .mayOnlyAccessLayers("api", "store", "server", "client", "controllers", "scheduler", "node", "network")
                .whereLayer("junit")
                .mayOnlyAccessLayers("api", "store", "server", "client", "node", "cluster")
                .whereLayer("junit")
                .mayNotBeAccessedByAnyLayer()
                .check(CLASSES);
    }

    @Test
    void controllersDoNotKnowEachOther() {
        SlicesRuleDefinition.slices()
                .matching("io.argosy.controllers.(deployment|namespace|garbagecollector|serviceaccount|rootca)..")
                .should()
                .notDependOnEachOther()
                .check(CLASSES);
    }
}
