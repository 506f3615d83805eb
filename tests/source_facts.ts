/**
 * Reads what a source file imports and uses, from its syntax tree and not from its text, so that
 * comments and strings do not count. Deno's linter gives the tree.
 *
 * @module
 */

/** One import or re-export, static or dynamic with a literal. */
export type ImportFact = {
  /** The specifier as it is written. */
  specifier: string;
  /** The compiler erases it: `import type`, `export type`, `import("x").Y`. */
  isTypeOnly: boolean;
  /** It happens at run time, by `import("x")`. */
  isDynamic: boolean;
};

/** What a file does that the layout has a rule for. */
export type SourceFacts = {
  /** All imports and re-exports whose specifier is written out. */
  imports: ImportFact[];
  /** The texts of the `import()`s whose specifier is computed. */
  computedImports: string[];
  /** The names used of the global `Deno`, such as `Deno.env`. */
  denoNames: string[];
  /** Where the function of something called a handler is taken, which is only done to call it. */
  handlerUses: string[];
  /** Uses of the global `process`, which is slow to reach for. */
  processUses: number;
};

/** Reads the facts of one file; `name` is only used for its ending. */
export function readFacts(name: string, source: string): SourceFacts {
  const facts: SourceFacts = {
    imports: [],
    computedImports: [],
    denoNames: [],
    handlerUses: [],
    processUses: 0,
  };
  const add = (specifier: string, isTypeOnly: boolean, isDynamic: boolean): void => {
    facts.imports.push({ specifier, isTypeOnly, isDynamic });
  };
  const plugin: Deno.lint.Plugin = {
    name: "facts",
    rules: {
      facts: {
        create: ({ sourceCode }) => ({
          ImportDeclaration: (node) => add(node.source.value, node.importKind === "type", false),
          ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === "type", false),
          ExportNamedDeclaration(node) {
            if (node.source) add(node.source.value, node.exportKind === "type", false);
          },
          ImportExpression(node) {
            const { source } = node;
            if (source.type === "Literal" && typeof source.value === "string") {
              add(source.value, false, true);
            } else {
              facts.computedImports.push(sourceCode.getText(node));
            }
          },
          TSImportType(node) {
            const [, specifier] = /import\(\s*["']([^"']+)/.exec(sourceCode.getText(node)) ?? [];
            if (specifier) add(specifier, true, false);
          },
          MemberExpression(node) {
            if (
              node.property.type === "Identifier" && node.property.name === "run" &&
              isHandler(node.object)
            ) facts.handlerUses.push(sourceCode.getText(node));
            if (node.object.type === "Identifier" && node.object.name === "Deno") {
              facts.denoNames.push(sourceCode.getText(node));
            }
            if (node.property.type === "Identifier" && node.property.name === "Deno") {
              facts.denoNames.push(sourceCode.getText(node));
            }
          },
          TSQualifiedName(node) {
            const text = sourceCode.getText(node);
            if (text.startsWith("Deno.")) facts.denoNames.push(text);
          },
          VariableDeclarator(node) {
            if (node.id.type !== "ObjectPattern" || !node.init) return;
            if (isHandler(node.init) && /\brun\b/.test(sourceCode.getText(node.id))) {
              facts.handlerUses.push(sourceCode.getText(node));
            }
          },
          Identifier(node) {
            if (node.name === "process" && node.parent.type === "MemberExpression") {
              if (node.parent.object === node) facts.processUses++;
            }
          },
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, name, source);
  return facts;
}

/** Whether it is called `handler`, or is one of `handlers`. */
function isHandler(node: Deno.lint.Expression | Deno.lint.Super): boolean {
  if (node.type === "Identifier") return /handlers?$/i.test(node.name);
  if (node.type !== "MemberExpression") return false;
  if (node.computed) return isHandler(node.object);
  return "name" in node.property && /handlers?$/i.test(String(node.property.name));
}
