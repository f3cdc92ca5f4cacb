import { PageFrame } from '#shell/page-frame.tsx'

/** Settings of an annotation queue, with a preview of the review form. */
export function QueueSettingsPage(_: { tenant: string; queueId: string }) {
  return <PageFrame title="Queue settings">{null}</PageFrame>
}
