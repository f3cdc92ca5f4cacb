import type { DatasetsSearch } from '#lib/datasets/search.ts'
import { PageFrame } from '#shell/page-frame.tsx'

/** The datasets of the workspace. */
export function DatasetsPage(_: { tenant: string; search: DatasetsSearch }) {
  return <PageFrame title="Datasets & experiments">{null}</PageFrame>
}
