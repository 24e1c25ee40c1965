/**
 * The app of cdk8s.yaml: one file per chart with what it renders to for one example install, so that a reviewer reads plain
 * manifests. cdk8s passes the output folder in CDK8S_OUTDIR.
 */
import { ApiObject, App, Chart } from 'cdk8s';
import { REPOSITORY } from '../lib/repository.ts';
import { loadCharts } from './charts.ts';
import { example } from './example.ts';
import { synthStatic } from './synth-static.ts';

const app = new App();
for (const definition of await loadCharts(REPOSITORY)) {
  const chart = new Chart(app, definition.name, { disableResourceNameHashes: true });
  const manifests = synthStatic(definition, example.values[definition.name] ?? {}, example.release);
  manifests.forEach((object, index) => {
    new ApiObject(chart, `${index}`, {
      ...object,
      apiVersion: String(object.apiVersion),
      kind: String(object.kind),
    });
  });
}
app.synth();
