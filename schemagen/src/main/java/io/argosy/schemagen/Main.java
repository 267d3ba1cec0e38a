package io.argosy.schemagen;

import io.argosy.schemagen.StructureWriter.Bytes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.zip.GZIPOutputStream;

/** Makes the schema resources of the api module: {@code Main <table of resources> <output folder> <stamp file>}. */
public final class Main {
    private static final String PACKAGE = "io/argosy/api/schema";

    private Main() {}

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        Path table = Path.of(args[0]);
        Path folder = Path.of(args[1]).resolve(PACKAGE);
        Path stamp = Path.of(args[2]);
        Inputs inputs = Inputs.of(table);
        Path structure = folder.resolve("structure.bin");
        Path descriptions = folder.resolve("descriptions.gz");
        if (inputs.sameAs(stamp) && Files.exists(structure) && Files.exists(descriptions)) {
            return;
        }
        Collection<Definition> definitions =
                new Join(Messages.load(), KindTable.read(table).kindsByMessage()).definitions();
        Files.createDirectories(folder);
        Files.write(structure, new StructureWriter().write(definitions));
        writeDescriptions(definitions, descriptions);
        inputs.remember(stamp);
        System.out.println("Schemas of " + definitions.size() + " definitions written to " + folder);
    }

    /** In the order of the structure: the description of a definition, then those of its properties. */
    private static void writeDescriptions(Collection<Definition> definitions, Path file) throws IOException {
        Bytes out = new Bytes();
        for (Definition definition : definitions) {
            text(definition.description(), out);
            definition.properties().forEach(property -> text(property.description(), out));
        }
        try (OutputStream zipped = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.writeTo(zipped);
        }
    }

    private static void text(String text, Bytes out) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.number(utf8.length);
        out.writeBytes(utf8);
    }
}
