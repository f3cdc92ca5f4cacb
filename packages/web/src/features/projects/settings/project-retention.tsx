import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { retentionMutation, retentionQuery } from '#features/retention/queries.ts'
import { describeDays, RetentionSection } from '#features/retention/retention-section.tsx'
import { READ_ONLY } from '#lib/roles.ts'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'

/** Retention of the traces of a project. */
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
  const [selectedDays, setSelectedDays] = useState(saved)
  const days = selectedDays ?? inherited
  const estimate = useQuery({ ...retentionQuery.estimate(days, projectId), enabled: Number.isInteger(days) })
  const save = useMutation(retentionMutation.setProject(queryClient))
  return (
    <RetentionSection
      title="Retention"
      description={
        isExperiment
          ? 'Experiments are kept forever unless they have their own setting.'
          : 'Traces are deleted once their latest run passes this age. Shared traces and traces in annotation queues are kept.'
      }
      saved={saved}
      chosen={selectedDays}
      onChoose={setSelectedDays}
      inherited={inherited}
      estimate={estimate.data}
      estimateError={estimate.error}
      isSaving={save.isPending}
      error={save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          { projectId, days: selectedDays },
          {
            onSuccess: ({ effective_days }) =>
              toast.done(`Traces are kept ${effective_days === 0 ? '' : 'for '}${describeDays(effective_days)}`),
          },
        )
      }
    />
  )
}
