import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '#data/me.ts'
import { retentionMutation, retentionQuery } from '#data/retention.ts'
import { describeDays, RetentionSection } from '#domain/retention/retention-section.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'

/** How long the traces of this project are kept. */
export function ProjectRetention({ projectId, isExperiment }: { projectId: string; isExperiment: boolean }) {
  const retention = useQuery(retentionQuery.ofProject(projectId))
  const workspace = useQuery(retentionQuery.ofWorkspace())
  const error = retention.error ?? workspace.error
  if (error) {
    return (
      <ErrorState
        title="Could not load the retention"
        error={error}
        onRetry={() => void Promise.all([retention.refetch(), workspace.refetch()])}
      />
    )
  }
  if (!retention.data || !workspace.data) return <SkeletonRows rows={3} label="Loading the retention" />
  const inherited = isExperiment ? 0 : workspace.data.days
  return <Choice projectId={projectId} saved={retention.data.days} inherited={inherited} isExperiment={isExperiment} />
}

interface ChoiceProps {
  projectId: string
  saved: number | null
  inherited: number
  isExperiment: boolean
}

function Choice({ projectId, saved, inherited, isExperiment }: ChoiceProps) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const [chosen, setChosen] = useState(saved)
  const days = chosen ?? inherited
  const estimate = useQuery({ ...retentionQuery.estimate(days, projectId), enabled: Number.isInteger(days) })
  const save = useMutation(retentionMutation.setProject(queryClient))
  return (
    <RetentionSection
      title="Retention"
      description={
        isExperiment
          ? 'Experiments are kept forever unless they have their own setting.'
          : 'A trace goes as a whole once its newest run is that old. Shared traces and those in annotation queues stay.'
      }
      saved={saved}
      chosen={chosen}
      onChoose={setChosen}
      inherited={inherited}
      estimate={estimate.data}
      estimateError={estimate.error}
      isSaving={save.isPending}
      error={save.error}
      lockedBecause={mayWrite ? undefined : 'Viewers may only read.'}
      onSave={() =>
        save.mutate(
          { projectId, days: chosen },
          {
            onSuccess: ({ effective_days }) =>
              toast.done(`Traces are kept ${effective_days === 0 ? '' : 'for '}${describeDays(effective_days)}`),
          },
        )
      }
    />
  )
}
