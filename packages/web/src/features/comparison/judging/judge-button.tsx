import { Gavel } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'

const JudgeDialog = lazyExtra(() => import('./judge-dialog.tsx').then((module) => module.JudgeDialog))

interface JudgeButtonProps {
  datasetId: string
  experimentIds: readonly string[]
}

/** Opens the dialog that judges experiments with a saved evaluator. */
export function JudgeButton({ datasetId, experimentIds }: JudgeButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const mayWrite = useMay('member')
  const refusal = mayWrite ? {} : { disabled: true, title: READ_ONLY }
  return (
    <>
      <Button aria-label="Run evaluator" {...refusal} onClick={() => setIsOpen(true)}>
        <Gavel size={13} aria-hidden />
        <span className="max-md:hidden">Run evaluator</span>
      </Button>
      <Suspense>
        {isOpen && <JudgeDialog datasetId={datasetId} experimentIds={experimentIds} onClose={() => setIsOpen(false)} />}
      </Suspense>
    </>
  )
}
