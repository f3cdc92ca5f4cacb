import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { JsonView } from '#features/payloads/json/json-view.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { PromptKey } from '../prompt-key.ts'
import { type LoadedCommit, promptQuery } from '../queries.ts'

/** The manifest as it was committed, with its model, of any size. */
export function RawManifest({ prompt, commit }: { prompt: PromptKey; commit: LoadedCommit }) {
  const { data: json, error } = useQuery(promptQuery.raw(prompt, commit))
  const roots = useMemo(() => json?.fields.filter(({ key }) => key === 'manifest'), [json])
  useEffect(() => () => json?.close(), [json])
  if (error !== null) return <ErrorState title="Could not read the manifest" error={error} />
  if (json === undefined) return <SkeletonRows label="Reading the manifest" />
  return <JsonView host={json} label="manifest" roots={roots} />
}
