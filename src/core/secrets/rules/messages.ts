// Keys of services that send messages: chat, mail, telephone.
import { ALNUM, DIGITS, HEX, type Rule } from '../rule.ts';

// A Discord token begins with a user id in base64. Digits encode to few texts, and these are the first three letters.
const DISCORD_STARTS = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'].flatMap((pair) =>
  [...'AEIMQUYcgk'].map((third) => pair + third),
);

export const MESSAGE_RULES: readonly Rule[] = [
  {
    kind: 'slack-token',
    what: 'Slack bot, user, app, configuration, refresh and legacy tokens',
    starts: ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-', 'xwfp-'],
    pattern: /(?:xox[a-e][.-](?:xox[a-e]-)?|xox[oprs]-|xapp-|xwfp-)[\w%-]{20,}/y,
    boundary: 'none',
    example: (pick) => `xoxb-${pick(DIGITS, 12)}-${pick(DIGITS, 13)}-${pick(ALNUM, 24)}`,
  },
  {
    kind: 'slack-webhook',
    what: 'Slack incoming webhook and workflow trigger addresses',
    starts: ['hooks.slack.com/'],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([\w/+-]{30,})/y,
    boundary: 'none',
    example: (pick) => `https://hooks.slack.com/services/T${pick(ALNUM, 10)}/B${pick(ALNUM, 10)}/${pick(ALNUM, 24)}`,
  },
  {
    kind: 'discord-token',
    what: 'Discord bot token',
    starts: DISCORD_STARTS,
    pattern: /[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,38}/y,
    boundary: 'run',
    example: (pick) => `MTA${pick(ALNUM, 21)}.${pick(ALNUM, 6)}.${pick(ALNUM, 38)}`,
  },
  {
    kind: 'discord-webhook',
    what: 'Discord webhook address',
    starts: ['/api/webhooks/'],
    pattern: /\/api\/webhooks\/\d{17,20}\/([\w-]{60,})/y,
    boundary: 'none',
    example: (pick) => `https://discord.com/api/webhooks/123456789012345678/${pick(ALNUM, 68)}`,
  },
  {
    kind: 'telegram-token',
    what: 'Telegram bot token',
    starts: [':AA'],
    pattern: /\d{8,10}:AA[\w-]{32,35}(?![\w-])/y,
    before: { chars: /\d/, max: 10 },
    boundary: 'none',
    example: (pick) => `${pick('123456789', 10)}:AA${pick(ALNUM, 33)}`,
  },
  {
    kind: 'teams-webhook',
    what: 'Microsoft Teams incoming webhook address',
    starts: ['.webhook.office.com/'],
    pattern: /\.webhook\.office\.com\/webhookb2\/([\w@/-]{60,})/y,
    boundary: 'none',
    example: (pick) =>
      `https://acme.webhook.office.com/webhookb2/${pick(HEX, 32)}@${pick(HEX, 32)}/IncomingWebhook/${pick(HEX, 32)}`,
  },
  {
    kind: 'twilio-key',
    what: 'Twilio API key',
    starts: [...HEX].map((first) => `SK${first}`),
    pattern: /SK[0-9a-f]{32}(?![0-9A-Za-z])/y,
    example: (pick) => `SK${pick(HEX, 32)}`,
  },
  {
    kind: 'sendgrid-key',
    what: 'SendGrid API key',
    starts: ['SG.'],
    pattern: /SG\.[\w-]{16,32}\.[\w-]{32,}/y,
    example: (pick) => `SG.${pick(ALNUM, 22)}.${pick(ALNUM, 43)}`,
  },
  {
    kind: 'mailgun-key',
    what: 'Mailgun private key',
    starts: ['key-'],
    pattern: /key-[0-9a-f]{32}(?![0-9a-f-])/y,
    example: (pick) => `key-${pick(HEX, 32)}`,
  },
  {
    kind: 'mailchimp-key',
    what: 'Mailchimp API key, ending in its data centre',
    starts: ['-us'],
    pattern: /[0-9a-f]{32}-us\d{1,2}(?![\w-])/y,
    before: { chars: /[0-9a-f]/, max: 32 },
    boundary: 'none',
    example: (pick) => `${pick(HEX, 32)}-us12`,
  },
  {
    kind: 'brevo-key',
    what: 'Brevo (Sendinblue) API and SMTP keys',
    starts: ['xkeysib-', 'xsmtpsib-'],
    pattern: /x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}/y,
    example: (pick) => `xkeysib-${pick(HEX, 64)}-${pick(ALNUM, 16)}`,
  },
  {
    kind: 'resend-key',
    what: 'Resend API key',
    starts: ['re_'],
    pattern: /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/y,
    example: (pick) => `re_${pick(ALNUM, 8)}_${pick(ALNUM, 24)}`,
  },
];
