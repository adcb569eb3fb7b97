// A Rails clinic: double bookings, a migration that meets old data, a correction by the user, a flaky system spec.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, grep, prompt, read, stop, write } from './steps.ts';

export const railsClinic = playDay({
  name: 'rails-clinic',
  root: '/home/dev/clinic',
  startsAt: '2026-04-08T09:12:00Z',
  sessions: [
    [
      prompt(
        'two patients got the same slot with Dr. Amari yesterday. appointments must never overlap like that. write a spec that shows it first',
      ),
      bash('git status --short', 'Show changes', ''),
      read(
        'app/models/appointment.rb',
        `
        class Appointment < ApplicationRecord
          belongs_to :practitioner
          belongs_to :patient
          enum :status, { booked: 0, cancelled: 1, done: 2 }
        end`,
      ),
      grep('Appointment.create', ['app/services/book_slot.rb', 'spec/factories/appointments.rb']),
      read(
        'app/services/book_slot.rb',
        `
        class BookSlot
          def call(practitioner:, patient:, starts_at:)
            return nil if Appointment.booked.exists?(practitioner:, starts_at:)
            Appointment.create!(practitioner:, patient:, starts_at:)
          end
        end`,
      ),
      write(
        'spec/services/book_slot_spec.rb',
        `
        RSpec.describe BookSlot do
          self.use_transactional_tests = false

          it "books a slot once under concurrency" do
            4.times.map { Thread.new { described_class.new.call(**slot) } }.each(&:join)
            expect(Appointment.booked.count).to eq(1)
          end
        end`,
      ),
      bashFails(
        'bundle exec rspec spec/services/book_slot_spec.rb',
        'Run the new spec',
        `
        Failures:
          1) BookSlot books a slot once under concurrency
             Failure/Error: expect(Appointment.booked.count).to eq(1)

               expected: 1
                    got: 3
             # ./spec/services/book_slot_spec.rb:6:in 'block (2 levels) in <top (required)>'

        1 example, 1 failure

        rspec ./spec/services/book_slot_spec.rb:4 # BookSlot books a slot once under concurrency`,
      ),
      edit(
        'app/models/appointment.rb',
        '  enum :status',
        '  validates :starts_at, uniqueness: { scope: :practitioner_id }\n  enum :status',
      ),
      bashFails(
        'bundle exec rspec spec/services/book_slot_spec.rb',
        'Run the spec again',
        `
          1) BookSlot books a slot once under concurrency
             Failure/Error: expect(Appointment.booked.count).to eq(1)

               expected: 1
                    got: 2

        1 example, 1 failure`,
      ),
      edit('app/models/appointment.rb', '  validates :starts_at, uniqueness: { scope: :practitioner_id }\n', ''),
      write(
        'db/migrate/20260408092501_unique_slot.rb',
        `
        class UniqueSlot < ActiveRecord::Migration[7.2]
          def change
            add_index :appointments, [:practitioner_id, :starts_at], unique: true, where: "status = 0"
          end
        end`,
      ),
      edit(
        'app/services/book_slot.rb',
        '    Appointment.create!(practitioner:, patient:, starts_at:)\n',
        '    Appointment.create!(practitioner:, patient:, starts_at:)\n  rescue ActiveRecord::RecordNotUnique\n    nil\n',
      ),
      bashFails(
        'bin/rails db:migrate',
        'Migrate',
        `
        == 20260408092501 UniqueSlot: migrating =======================================
        -- add_index(:appointments, [:practitioner_id, :starts_at], {:unique=>true, :where=>"status = 0"})
        bin/rails aborted!
        StandardError: An error has occurred, this and all later migrations canceled:
        PG::UniqueViolation: ERROR:  could not create unique index "index_appointments_on_practitioner_id_and_starts_at"
        DETAIL:  Key (practitioner_id, starts_at)=(7, 2026-04-07 10:30:00) is duplicated.

        Tasks: TOP => db:migrate`,
      ),
      edit(
        'db/migrate/20260408092501_unique_slot.rb',
        '  def change\n',
        '  def up\n    execute "DELETE FROM appointments a USING appointments b WHERE a.id > b.id AND a.practitioner_id = b.practitioner_id AND a.starts_at = b.starts_at"\n',
      ),
      bash(
        'bin/rails db:migrate',
        'Migrate',
        `
        == 20260408092501 UniqueSlot: migrating =======================================
        -- add_index(:appointments, [:practitioner_id, :starts_at], {:unique=>true, :where=>"status = 0"})
           -> 0.0122s
        == 20260408092501 UniqueSlot: migrated (0.0165s) ==============================`,
      ),
      bash(
        'bundle exec rspec',
        'Run all specs',
        '................................................................\n\nFinished in 11.2 seconds (files took 3.1 seconds to load)\n64 examples, 0 failures',
      ),
      stop(`
        Double bookings are impossible now.

        The check in \`BookSlot\` and the insert were two steps, so concurrent requests both saw a free slot. I added a partial unique index on
        (practitioner_id, starts_at) for booked appointments and \`BookSlot\` rescues \`RecordNotUnique\`.

        A uniqueness validation on the model was not enough: it has the same race (SELECT before INSERT), the threaded spec still got 2 bookings. I removed it again.

        The migration first failed because the table already held duplicates, so it now deletes the later of each pair before it creates the index.`),
      prompt(
        'NO, do not delete appointments in the migration! we never hard-delete appointments, that is a legal requirement. set the later one to cancelled, and the front desk must get a mail for each',
      ),
      edit(
        'db/migrate/20260408092501_unique_slot.rb',
        'DELETE FROM appointments a USING appointments b WHERE a.id > b.id',
        'UPDATE appointments a SET status = 1 FROM appointments b WHERE a.id > b.id',
      ),
      bash(
        'bin/rails db:rollback && bin/rails db:migrate',
        'Migrate again',
        '== 20260408092501 UniqueSlot: reverted (0.0051s) ==\n== 20260408092501 UniqueSlot: migrated (0.0149s) ==',
      ),
      write(
        'app/mailers/appointment_mailer.rb',
        'class AppointmentMailer < ApplicationMailer\n  def conflict(appointment)\n    @appointment = appointment\n    mail(to: Clinic.front_desk_email, subject: "Appointment cancelled: slot was booked twice")\n  end\nend',
      ),
      bash('bundle exec rspec', 'Run all specs', '64 examples, 0 failures'),
      stop(`
        Changed: the migration sets the later appointment to cancelled, nothing is deleted.

        What remains before this can ship:
        1. \`AppointmentMailer#conflict\` has no template yet, so the front desk mail is not sent
        2. run the migration once on the staging copy and check the list of cancelled appointments with the clinic`),
      end(),
    ],
    [
      prompt('spec/system/booking_spec.rb is flaky on CI, about 1 in 5'),
      bashFails(
        'for i in $(seq 8); do bundle exec rspec spec/system/booking_spec.rb || exit 1; done',
        'Run it until it fails',
        `
        1 example, 0 failures
        1 example, 0 failures
        F

          1) Booking a patient books a free slot
             Failure/Error: find("#slot_1030").click

             Capybara::ElementNotFound:
               Unable to find css "#slot_1030"
             # ./spec/system/booking_spec.rb:9:in 'block (2 levels) in <top (required)>'

        1 example, 1 failure`,
      ),
      read(
        'spec/system/booking_spec.rb',
        `
        RSpec.describe "Booking", type: :system do
          it "a patient books a free slot" do
            visit new_booking_path
            select "Dr. Amari"
            find("#slot_1030").click
            expect(page).to have_text("Booked")
          end
        end`,
      ),
      bash(
        'cat app/views/bookings/_slots.html.erb',
        'Show the slot list',
        '<turbo-frame id="slots" src="<%= slots_path %>" loading="lazy"></turbo-frame>',
      ),
      edit(
        'spec/system/booking_spec.rb',
        '    select "Dr. Amari"\n',
        '    select "Dr. Amari"\n    expect(page).to have_css("turbo-frame#slots[complete]")\n',
      ),
      bash(
        'for i in $(seq 20); do bundle exec rspec spec/system/booking_spec.rb || exit 1; done',
        'Run it 20 times',
        '1 example, 0 failures\n1 example, 0 failures\n1 example, 0 failures',
      ),
      bash('git commit -qam "Wait for the slots frame in the booking spec"', 'Commit'),
      stop(
        'The slots come in a lazy turbo frame, and the spec clicked before it was loaded; on a slow CI box the frame had not arrived within the wait of `find`. The spec now waits for `turbo-frame#slots[complete]`. 20 runs in a row are green.',
      ),
      end(),
    ],
  ],
  truths: {
    decisions: [{ what: 'the user: never hard-delete appointments, cancel them', mustMention: ['cancel', 'delete'] }],
    fixes: [
      {
        what: 'double bookings: unique index and RecordNotUnique',
        mustMention: ['concurren|race|two steps|both saw', 'unique index|RecordNotUnique'],
      },
      {
        what: 'migration failed on duplicates that were there',
        mustMention: ['migrat', 'duplicate', 'delete|cancel|resolve'],
      },
      { what: 'flaky booking spec: wait for the turbo frame', mustMention: ['booking|slot', 'frame', 'wait'] },
    ],
    deadEnds: [
      {
        what: 'a uniqueness validation alone still races',
        mustMention: ['validat|validates', 'race|concurren|thread|got 2|got: 2|still|not enough'],
      },
    ],
    nextSteps: [
      { what: 'conflict mail has no template', mustMention: ['template|front desk|AppointmentMailer'], after: [1, 2] },
      { what: 'run the migration on staging', mustMention: ['staging'], after: [1, 2] },
    ],
    others: [],
    acceptable: [
      { what: 'appointments must never overlap', mustMention: ['overlap'], types: ['decision'] },
      {
        what: 'migration and mailer after the correction',
        mustMention: ['cancelled|AppointmentMailer|mailer'],
        types: ['change', 'feature', 'bugfix', 'refactor'],
      },
      { what: 'the commit', mustMention: ['commit'] },
    ],
  },
});
