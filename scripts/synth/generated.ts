/** The first line of a generated file, as a comment of YAML. */
export function generatedHeader(source: string): string {
  return `# ${generatedNotice(source)}`;
}

export function generatedNotice(source: string): string {
  return `GENERATED from ${source} by scripts/synth. Do not edit: run \`npm run generate\`.`;
}
