import type { NotificationChannel, NotificationKind } from '@touchstone/sdk'

export const KIND_LABELS: Readonly<Record<NotificationKind, string>> = {
  slack: 'Slack, incoming webhook',
  slack_bot: 'Slack, bot',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
  email: 'Email',
  webhook: 'Webhook',
}

/** Where a channel sends to, without secrets. */
export function printTarget({ config }: NotificationChannel): string {
  if (config === null) {
    return 'The server does not have the secret key that encrypts this channel. Delete it and create it again.'
  }
  switch (config.kind) {
    case 'email':
      return config.to.join(', ')
    case 'slack_bot':
      return config.endpoint === null ? config.channel : `${config.channel} through ${config.endpoint}`
    case 'pagerduty':
      return config.endpoint ?? 'events.pagerduty.com'
    default:
      return config.url
  }
}
