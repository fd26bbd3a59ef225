// Package clinic declares the clinic records service: patients, appointments
// and doctors.
//
// A patient belongs to the user who created it, an appointment to its
// patient's owner. Callers see, change and delete only what is theirs, unless
// they hold the model's permission; what is not theirs is answered like what
// does not exist.
package clinic
