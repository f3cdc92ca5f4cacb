import type { DemoIds } from './demo-ids.ts'
import type { Screen } from './screens.ts'

/** Datasets, experiments, comparisons and annotation queues. */
export function listEvaluationScreens(ids: DemoIds): Screen[] {
  const { tenant, dataset, example, experiments, comparison, queue, pairs, datasetToken } = ids
  const data = `/o/${tenant}/datasets/${dataset}`
  const compared = `${data}/compare?selectedSessions=${experiments.join(',')}`
  const pair = `${data}/compare?selectedSessions=${experiments[1]},${experiments[3]}&comparativeExperiment=${comparison}`
  const queues = `/o/${tenant}/annotation-queues`
  return [
    { name: 'datasets', path: `/o/${tenant}/datasets` },
    { name: 'dataset-examples', path: data },
    { name: 'dataset-example', path: `${data}?peek=${example}` },
    { name: 'dataset-versions', path: `${data}/versions` },
    { name: 'dataset-settings', path: `${data}/settings` },
    { name: 'dataset-experiments', path: `${data}/experiments` },
    { name: 'dataset-pairwise', path: `${data}/pairwise` },
    { name: 'compare', path: compared },
    { name: 'compare-diff', path: `${compared}&diff=reference` },
    { name: 'compare-focus', path: `${compared}&layout=focus` },
    { name: 'compare-summary', path: `${compared}&layout=summary` },
    { name: 'compare-one', path: `${data}/compare?selectedSessions=${experiments[3]}` },
    { name: 'pairwise', path: pair },
    { name: 'queues', path: queues },
    { name: 'queue', path: `${queues}/${queue}` },
    { name: 'queue-settings', path: `${queues}/${queue}/settings` },
    { name: 'queue-review', path: `${queues}/${queue}/review` },
    { name: 'queue-review-pair', path: `${queues}/${pairs}/review` },
    { name: 'public-dataset', path: `/public/${datasetToken}/d`, signedOut: true },
    {
      name: 'public-compare',
      path: `/public/${datasetToken}/d/compare?selectedSessions=${experiments.slice(2).join(',')}`,
      signedOut: true,
    },
  ]
}
